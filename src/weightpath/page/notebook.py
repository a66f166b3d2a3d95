"""A page within a notebook: in a frame that survives export, or as a widget that Python moves."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from weightpath.curves import Curve
from weightpath.page.document import page_data, page_text
from weightpath.page.judged_data import Judged
from weightpath.page.packing import embedded_json
from weightpath.page.script_text import style, widget_script
from weightpath.path import SolutionPath

__all__ = ["PageView", "path_widget", "show_path", "shown_page"]


class PageView:
    """A page that a notebook shows.

    It stands in a frame of its own, as a text within the notebook: saved and exported notebooks
    have it, too.

    Parameters
    ----------
    text : str
        The page.
    height : int
        Of the frame, in pixels.
    name : str
        What a screen reader calls the frame.
    """

    def __init__(self, text: str, height: int = 800, name: str = "Solution path"):
        self.text, self.height, self.name = text, int(height), name

    def __repr__(self) -> str:
        size = len(self.text) / 1e6
        return f"<PageView: a page of {size:.2f} MB; a notebook shows it, to_html writes it>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.text)}" title="{escape(self.name)}" width="100%" '
            f'height="{self.height}" style="border:0; width:100%"></iframe>'
        )


def show_path(
    path: SolutionPath,
    curve: Curve | None = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    height: int = 800,
    title: str = "Solution path",
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    n_checks: int = 11,
) -> PageView | None:
    """Show the page of a path in a notebook.

    Parameters
    ----------
    path, curve, X, y, title, names, sample_weight, qid, n_checks
        As for :func:`weightpath.page.write_html`.
    height : int, default=800
        Of the frame, in pixels.

    Returns
    -------
    PageView or None
        Within IPython the page is shown at once. Elsewhere it is returned, and whatever shows
        objects by their ``_repr_html_`` shows it.
    """
    data = page_data(
        path, curve, Judged(X, y, sample_weight, qid), title=title, names=names, n_checks=n_checks
    )
    return shown_page(PageView(page_text(data, title), height))


def shown_page(view: PageView) -> PageView | None:
    """Show a page at once within IPython; elsewhere return it."""
    display = _display()
    if display is None:
        return view
    display(view)
    return None


def _display() -> Any:
    """Return what shows an object in the notebook that is running; ``None`` elsewhere."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return None
    return None if get_ipython() is None else display


def path_widget(
    path: SolutionPath,
    curve: Curve | None = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    theta: float = 0.0,
    title: str = "Solution path",
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    n_checks: int = 11,
) -> Any:
    """Return the page of a path as a widget, whose ``theta`` Python code can watch and set.

    Parameters
    ----------
    path, curve, X, y, title, names, sample_weight, qid, n_checks
        As for :func:`weightpath.page.write_html`.
    theta : float, default=0.0
        Where it starts.

    Returns
    -------
    anywidget.AnyWidget
        With the trait ``theta``: ``widget.observe(function, "theta")`` calls a function when it
        changes, ``widget.theta = 0.5`` moves the slider.

    Raises
    ------
    ImportError
        If anywidget is not installed.
    """
    widget_type = _widget_type()
    data = page_data(
        path, curve, Judged(X, y, sample_weight, qid), title=title, names=names, n_checks=n_checks
    )
    return widget_type(record=embedded_json(data), last=float(path.theta[-1]), theta=float(theta))


def _widget_type() -> Any:
    """Return the class of widgets; made when first used, because its base is optional."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "path.widget() needs anywidget: pip install 'weightpath[widget]'. path.show() and "
            "path.to_html() need nothing."
        ) from error

    class PathWidget(anywidget.AnyWidget):
        """The page of a path, with theta as a trait."""

        _esm = widget_script()
        _css = style()
        record = traitlets.Unicode("").tag(sync=True)
        last = traitlets.Float(1.0)
        theta = traitlets.Float(0.0).tag(sync=True)

        @traitlets.validate("theta")
        def _check_theta(self, proposal: Any) -> float:
            theta = float(proposal["value"])
            if not 0.0 <= theta <= self.last:
                raise traitlets.TraitError(
                    f"theta must be between 0 and {self.last:g}, got {theta!r}."
                )
            return theta

    return PathWidget
