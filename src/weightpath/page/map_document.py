"""A region map as one self-contained page, on which a point moves in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

from numpy.typing import ArrayLike

from weightpath.metrics import Outputs
from weightpath.page.document import page_text, write_page
from weightpath.page.judged_data import Judged
from weightpath.page.notebook import PageView, shown_page
from weightpath.page.plane_data import judged_on_plane, plane_data
from weightpath.page.surface_data import surface_data

__all__ = ["map_page_data", "show_map", "write_map_html"]


def write_map_html(
    region_map: Any,
    outputs: Outputs,
    file: str | PathLike[str] | IO[str],
    surface: Any = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    title: str = "Region map",
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    n_checks: int = 9,
    max_mb: float = 100.0,
) -> None:
    """Write a page on which a point moves in the plane of a map: see ``RegionMap.to_html``.

    Parameters
    ----------
    region_map : RegionMap
        What to show.
    outputs : Outputs
        What its decision values stand for.
    file, surface, X, y, title, names, sample_weight, n_checks, max_mb
        As for ``RegionMap.to_html``.
    """
    judged = Judged(X, y, sample_weight)
    data = map_page_data(
        region_map, outputs, surface, judged, title=title, names=names, n_checks=n_checks
    )
    advice = (
        f"the map has {len(region_map)} regions. Use narrower bounds or fewer rows, or raise "
        "max_mb."
    )
    write_page(page_text(data, title, "map"), file, max_mb, advice)


def map_page_data(
    region_map: Any,
    outputs: Outputs,
    surface: Any,
    judged: Judged,
    *,
    title: str,
    names: Sequence[Any] | None = None,
    n_checks: int = 9,
) -> dict[str, Any]:
    """Return everything that the script of a map's page reads."""
    if surface is not None and surface.region_map is not region_map:
        raise ValueError("surface belongs to another map: give one that map.surface returned.")
    own = None if surface is None else rows_of_surface(surface)
    if judged.X is None and own is not None:
        judged = own
    shown = judged_on_plane(region_map, outputs, judged)
    metric = None if surface is None else surface_data(surface)
    if own is not None and metric is not None:
        rows = judged_on_plane(region_map, outputs, Judged(own.X))
        same = all(rows[name] == shown[name] for name in ("n", "X", "products"))
        metric["rows"] = None if same else rows
    return {
        "title": str(title),
        "plane": plane_data(region_map, outputs, names, n_checks),
        "judged": shown,
        "surface": metric,
    }


def rows_of_surface(surface: Any) -> Judged:
    """Return the rows of a surface, with their labels as they were given."""
    rows = surface.rows
    classes = rows.outputs.classes
    y = rows.target if classes is None else classes[rows.target]
    weight = None if (rows.weight == 1.0).all() else rows.weight
    return Judged(surface.given, y, weight)


def show_map(
    region_map: Any,
    outputs: Outputs,
    surface: Any = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    height: int = 800,
    title: str = "Region map",
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    n_checks: int = 9,
) -> PageView | None:
    """Show the page of a map in a notebook: see ``RegionMap.show``."""
    judged = Judged(X, y, sample_weight)
    data = map_page_data(
        region_map, outputs, surface, judged, title=title, names=names, n_checks=n_checks
    )
    return shown_page(PageView(page_text(data, title, "map"), height, "Region map"))
