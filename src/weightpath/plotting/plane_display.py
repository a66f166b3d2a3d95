"""Pictures of planes: the regions of a map, and a metric over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics import label_of
from weightpath.plotting.theme import ACCENT, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MapDisplay", "SurfaceDisplay", "plot_map", "plot_surface"]

AXES = ("$z_1$", "$z_2$")

# A colour scale that readers with any colour vision see as increasing, also in print.
COLOURS = "viridis"

# With more regions than this the lines between them would be all that is seen.
LINES_UP_TO = 4000


@dataclass(eq=False, repr=False)
class MapDisplay:
    """A picture of the regions of a map, and the data it shows.

    Parameters
    ----------
    region_map : RegionMap
        What is shown.
    color : {"margin", "support"}, default="margin"
        What colours stand for: the number of training rows at the margin of each region, or of
        those with a coefficient that is not zero.

    Attributes
    ----------
    numbers : ndarray of shape (n_regions,)
        What the colours show.
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    region_map: Any
    color: str = "margin"
    numbers: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        if self.color not in ("margin", "support"):
            raise ValueError(f'color must be "margin" or "support", got {self.color!r}.')
        at_margin = self.color == "margin"
        n_rows = self.region_map.X.shape[0]
        self.numbers = np.array(
            [
                region.margin.size if at_margin else n_rows - _without_coefficient(region)
                for region in self.region_map.regions
            ],
            dtype=float,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        surface: Any = None,
        labels: Sequence[str] = AXES,
        colorbar: bool = True,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        surface : Surface, optional
            Whose best point and polygon are marked.
        labels : (str, str)
            Of the two axes.
        colorbar : bool
            Whether to show what the colours mean.

        Returns
        -------
        MapDisplay
            This display.
        """
        matplotlib = require_matplotlib()
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import BoundaryNorm

        ax = _new_axes(ax)
        low, high = int(self.numbers.min()), int(self.numbers.max())
        # Whole numbers have colours of their own, unless they are too many to tell apart.
        step = max(1, -(-(high - low + 1) // 12))
        edges = np.arange(low, high + step + 1, step) - 0.5
        colours = matplotlib.colormaps[COLOURS].resampled(max(2, len(edges) - 1))
        lines = len(self.numbers) <= LINES_UP_TO
        polygons = PolyCollection(
            [region.polygon for region in self.region_map.regions],
            array=self.numbers,
            cmap=colours,
            norm=BoundaryNorm(edges, colours.N),
            edgecolors="white" if lines else "face",
            linewidths=0.35 if lines else 0.15,
            rasterized=not lines,
        )
        ax.add_collection(polygons)
        if colorbar:
            what = "at the margin" if self.color == "margin" else "with a coefficient"
            bar = ax.figure.colorbar(polygons, ax=ax, shrink=0.85, aspect=28, pad=0.03)
            middles = 0.5 * (edges[:-1] + edges[1:])
            shown = middles[:: max(1, len(middles) // 6)]
            bar.set_ticks(shown.tolist(), labels=[f"{m - 0.5 * (step - 1):.0f}" for m in shown])
            bar.set_label(f"training rows {what}")
            bar.outline.set_visible(False)
        if surface is not None:
            _mark_best(ax, surface)
        _frame(ax, self.region_map.bounds, labels)
        ax.set_title(f"{len(self.numbers):,} regions, each with one affine solution", fontsize=11)
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass(eq=False, repr=False)
class SurfaceDisplay:
    """A picture of a metric over the plane of a map, and the data it shows.

    Parameters
    ----------
    surface : Surface
        What is shown.
    resolution : int, default=256
        Points on each side at which the exact metric is drawn.

    Attributes
    ----------
    values : ndarray of shape (resolution, resolution)
        The metric at the middle of every pixel, the second coordinate by rows.
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    surface: Any
    resolution: int = 256

    def __post_init__(self) -> None:
        self.values = self.surface.sampled(self.resolution)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        labels: Sequence[str] = AXES,
        show_best: bool = True,
        show_regions: bool = False,
        colorbar: bool = True,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        labels : (str, str)
            Of the two axes.
        show_best : bool
            Whether to mark the best point and its polygon.
        show_regions : bool
            Whether to draw the borders of all regions.
        colorbar : bool
            Whether to show what the colours mean.

        Returns
        -------
        SurfaceDisplay
            This display.
        """
        require_matplotlib()
        ax = _new_axes(ax)
        surface = self.surface
        bounds = np.asarray(surface.region_map.bounds, dtype=float)
        # The better, the brighter.
        colours = COLOURS if surface.metric.greater_is_better else f"{COLOURS}_r"
        image = ax.imshow(
            self.values,
            origin="lower",
            extent=tuple(bounds.ravel()),
            aspect="auto",
            cmap=colours,
            interpolation="nearest",
        )
        if show_regions:
            from matplotlib.collections import PolyCollection

            borders = [region.polygon for region in surface.region_map.regions]
            lines = PolyCollection(borders, facecolors="none", edgecolors="white", linewidths=0.25)
            lines.set_alpha(0.6)
            ax.add_collection(lines)
        if colorbar:
            bar = ax.figure.colorbar(image, ax=ax, shrink=0.85, aspect=28, pad=0.03)
            bar.set_label(surface.metric.label or label_of(surface.metric.name))
            bar.outline.set_visible(False)
        if show_best:
            _mark_best(ax, surface)
        _frame(ax, bounds, labels)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def plot_map(region_map: Any, ax: Axes | None = None, **options: Any) -> MapDisplay:
    """Draw the regions of a map.

    Parameters
    ----------
    region_map : RegionMap
        What to draw.
    ax : matplotlib Axes, optional
        Where; a new figure by default.
    **options
        ``color`` for :class:`MapDisplay`; the others are passed to :meth:`MapDisplay.plot`.

    Returns
    -------
    MapDisplay
        Holds the data, ``ax_`` and ``figure_``.
    """
    return MapDisplay(region_map, options.pop("color", "margin")).plot(ax, **options)


def plot_surface(surface: Any, ax: Axes | None = None, **options: Any) -> SurfaceDisplay:
    """Draw a metric over the plane of a map, with its best point.

    Parameters
    ----------
    surface : Surface
        What to draw.
    ax : matplotlib Axes, optional
        Where; a new figure by default.
    **options
        ``resolution`` for :class:`SurfaceDisplay`; the others are passed to
        :meth:`SurfaceDisplay.plot`.

    Returns
    -------
    SurfaceDisplay
        Holds the data, ``ax_`` and ``figure_``.
    """
    return SurfaceDisplay(surface, options.pop("resolution", 256)).plot(ax, **options)


def _without_coefficient(region: Any) -> int:
    """How many rows have no coefficient in a region, whatever they are called."""
    kind = region.map.problem.subproblem.reading.kind
    return int((region.outside if kind in ("svc", "one_class") else region.inside).size)


def _new_axes(ax: Axes | None) -> Axes:
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(6.6, 5.4), layout="constrained")
    return ax


def _frame(ax: Axes, bounds: Any, labels: Sequence[str]) -> None:
    """Show the whole plane, with its boundary."""
    (left, right), (bottom, top) = np.asarray(bounds, dtype=float)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    for spine in ax.spines.values():
        spine.set_linewidth(1.0)


def _mark_best(ax: Axes, surface: Any) -> None:
    """Mark the best point, and its polygon if it is large enough to be seen."""
    best = surface.best
    polygon = np.vstack((best.polygon, best.polygon[:1]))
    ax.plot(*polygon.T, color=ACCENT, lw=1.2, zorder=3)
    x, y = best.z
    text = f"best: {best.value:.4g} at ({x:.4g}, {y:.4g})"
    style: dict[str, Any] = {"ls": "", "marker": "o", "ms": 8, "zorder": 4, "clip_on": False}
    ax.plot(x, y, color=ACCENT, mec="white", mew=1.2, label=text, **style)
    ax.legend(loc="upper right", framealpha=0.9, handletextpad=0.3, borderpad=0.5)
