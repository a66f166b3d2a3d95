"""How a path is looked at: pictures, pages, widgets. Each is imported when it is asked for."""

from __future__ import annotations

from os import PathLike
from typing import IO, TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from weightpath.curves import Curve
    from weightpath.page import PageView
    from weightpath.plotting import PathDisplay

__all__ = ["Shown"]


class Shown:
    """What a path has in common with everything that can be looked at in these ways."""

    def plot(self, **options: Any) -> PathDisplay:
        """Plot the path. See :func:`weightpath.plotting.plot_path`."""
        from weightpath.plotting import plot_path

        path: Any = self
        return plot_path(path, **options)

    def to_html(
        self,
        file: str | PathLike[str] | IO[str],
        curve: Curve | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """Write an interactive page, one file. See :func:`weightpath.page.write_html`."""
        from weightpath.page import write_html

        path: Any = self
        write_html(path, file, curve, X, y, **options)

    def show(
        self,
        curve: Curve | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> PageView | None:
        """Show the interactive page in a notebook. See :func:`weightpath.page.show_path`."""
        from weightpath.page import show_path

        path: Any = self
        return show_path(path, curve, X, y, **options)

    def widget(
        self,
        curve: Curve | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> Any:
        """Return the page as a widget with the trait ``theta``.

        It needs anywidget, the extra ``weightpath[widget]``. See
        :func:`weightpath.page.path_widget`.
        """
        from weightpath.page import path_widget

        path: Any = self
        return path_widget(path, curve, X, y, **options)
