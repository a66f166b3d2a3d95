"""Picture of a curve: the metric against theta, its isolated points and its best theta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.metrics import label_of
from weightpath.plotting.theme import ACCENT, MAIN, THETA_LABEL, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

__all__ = ["CurveDisplay", "plot_curve"]

# Points on a curved piece: enough to look smooth, few enough for thousands of pieces.
POINTS_PER_PIECE = 16


@dataclass(eq=False, repr=False)
class CurveDisplay:
    """A picture of a curve, and the data it shows.

    Parameters
    ----------
    curve : Curve
        What is shown.

    Attributes
    ----------
    theta, value : ndarray
        The line as drawn; a nan separates pieces between which the curve jumps. Empty for step
        functions, which are drawn from ``curve.edges`` and ``curve.values``. Isolated points,
        ``curve.point_theta`` and ``curve.point_values``, are drawn as dots.
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    curve: Curve

    def __post_init__(self) -> None:
        self.theta, self.value = _line(self.curve)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        color: ColorType = MAIN,
        label: str | None = None,
        show_best: bool = True,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        color : matplotlib colour
            Of the curve.
        label : str, optional
            Of the curve, in the legend.
        show_best : bool
            Whether to mark the best theta and the interval on which its value holds.

        Returns
        -------
        CurveDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
        curve = self.curve
        if curve.degree == 0:
            ax.stairs(curve.values, curve.edges, baseline=None, color=color, lw=1.4, label=label)
        else:
            ax.plot(self.theta, self.value, color=color, lw=1.4, label=label)
        if curve.point_theta.size:
            # A point at an end of the curve is seen whole.
            style: dict[str, Any] = {
                "ls": "",
                "marker": "o",
                "ms": 4,
                "zorder": 3,
                "clip_on": False,
            }
            ax.plot(curve.point_theta, curve.point_values, color=color, **style)
        if show_best:
            _mark_best(ax, curve)
        if show_best or label:
            ax.legend(frameon=False, loc="best")
        ax.set_xlim(curve.edges[0], curve.edges[-1])
        ax.margins(y=0.1)
        ax.set_xlabel(THETA_LABEL)
        ax.set_ylabel(label_of(curve.metric) or "value")
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def plot_curve(curve: Curve, ax: Axes | None = None, **kwargs: Any) -> CurveDisplay:
    """Draw a curve with its best interval.

    Parameters
    ----------
    curve : Curve
        What to draw.
    ax : matplotlib Axes, optional
        Where; a new figure by default.
    **kwargs
        Passed to :meth:`CurveDisplay.plot`.

    Returns
    -------
    CurveDisplay
        Holds the data, ``ax_`` and ``figure_``.
    """
    return CurveDisplay(curve).plot(ax, **kwargs)


def _line(curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of the pieces one after the other, with a gap wherever the curve jumps."""
    if curve.degree == 0:
        return np.empty(0), np.empty(0)
    n_points = 2 if curve.degree == 1 else POINTS_PER_PIECE
    share = np.linspace(0, 1, n_points)
    distance = np.diff(curve.edges)[:, None] * share
    powers = distance[..., None] ** np.arange(curve.degree + 1)
    value = np.einsum("epd,ed->ep", powers, curve.coefficients)
    theta = curve.edges[:-1, None] + distance
    jumps = np.append(np.abs(value[:-1, -1] - value[1:, 0]) > 1e-9 * np.abs(value).max(), False)
    gap = np.where(jumps, np.nan, value[:, -1])
    theta = np.column_stack((theta, curve.edges[1:]))
    return theta.ravel(), np.column_stack((value, gap)).ravel()


def _mark_best(ax: Axes, curve: Curve) -> None:
    best = curve.best
    left, right = best.interval
    text = f"best: {best.value:.4g} at θ = {best.theta:.4g}"
    if left < right:
        text += f", for θ from {left:.4g} to {right:.4g}"
        ax.axvspan(left, right, color=ACCENT, alpha=0.25, lw=0)
    ax.axvline(best.theta, color=ACCENT, lw=0.8, ls=":")
    ax.plot([left, right], [best.value] * 2, color=ACCENT, lw=3, solid_capstyle="butt")
    ax.plot(best.theta, best.value, "o", color=ACCENT, ms=6, label=text, zorder=4)
