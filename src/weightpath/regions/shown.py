"""How a map is looked at: pictures and pages. Each is imported when it is asked for."""

from __future__ import annotations

from os import PathLike
from typing import IO, TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from weightpath.metrics import Metric
    from weightpath.page import PageView
    from weightpath.plotting import MapDisplay
    from weightpath.regions.surface import Surface

__all__ = ["ShownMap"]


class ShownMap:
    """What a map has in common with everything that can be looked at in these ways."""

    def plot(self, ax: Any = None, **options: Any) -> MapDisplay:
        """Draw the regions. See :func:`weightpath.plotting.plot_map`."""
        from weightpath.plotting import plot_map

        shown: Any = self
        return plot_map(shown, ax, **options)

    def to_html(
        self,
        file: str | PathLike[str] | IO[str],
        surface: Surface | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        metric: str | Metric | None = None,
        **options: Any,
    ) -> None:
        """Write a page on which a point moves in the plane: one file, without a server or network.

        The region under the pointer lights up; a press goes there. The page shows the sets of the
        region, the solution, the weights and the certificate there, the value of a metric and its
        best polygon, predictions and their confusion matrix; with one or two features the model
        itself. The browser computes from the affine functions of the regions, so that everything is
        exact everywhere.

        Parameters
        ----------
        file : str, path or text file
            Where to write. A file is replaced only when the page is complete.
        surface : Surface, optional
            A metric over the plane, from ``map.surface``.
        X : array-like, data frame or sparse matrix of shape (n_points, n_features), optional
            Rows to predict, as for ``map.decision_function``; by default those of the surface, else
            the training rows.
        y : array-like of shape (n_points,), optional
            Their labels or values.
        metric : str or Metric, optional
            In place of ``surface``: the metric on ``X`` and ``y``.
        **options
            ``title``; ``names`` of the training rows, by default those of the data frame that the
            model was trained on; ``sample_weight`` of the rows of ``X``; ``n_checks``, how many
            points at least the certificate is computed at (default 9); ``max_mb``, the largest page
            that is written (default 100).

        Examples
        --------
        >>> import io
        >>> import weightpath as wp
        >>> toy = wp.datasets.make_toy(40, random_state=0)
        >>> model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y)
        >>> plane = wp.region_map(model, [{"class_weight": {-1: 10}}, {"class_weight": {1: 10}}])
        >>> page = io.StringIO()
        >>> plane.to_html(page, plane.surface(toy.X, toy.y, "zero_one"))
        >>> page.getvalue()[:15]
        '<!DOCTYPE html>'
        """
        from weightpath.page import write_map_html
        from weightpath.regions.validation import outputs_of_map

        shown = self._surface_to_show(surface, X, y, metric, options.get("sample_weight"))
        write_map_html(self, outputs_of_map(self), file, shown, X, y, **options)

    def show(
        self,
        surface: Surface | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        metric: str | Metric | None = None,
        **options: Any,
    ) -> PageView | None:
        """Show the page of :meth:`to_html` in a notebook, in a frame that survives export.

        Besides the options of :meth:`to_html` there is ``height``, in pixels.
        """
        from weightpath.page import show_map
        from weightpath.regions.validation import outputs_of_map

        shown = self._surface_to_show(surface, X, y, metric, options.get("sample_weight"))
        return show_map(self, outputs_of_map(self), shown, X, y, **options)

    def _surface_to_show(
        self, surface: Surface | None, X: Any, y: Any, metric: str | Metric | None, weight: Any
    ) -> Surface | None:
        if metric is None:
            return surface
        if surface is not None:
            raise TypeError("Give a surface or a metric, not both.")
        if X is None or y is None:
            raise TypeError("A metric needs rows: give X and y, too.")
        owner: Any = self
        found: Surface = owner.surface(X, y, metric, weight)
        return found
