"""Picture of a ROC hull: the hull of all class weights beside the ROC curve of one model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RocDisplay", "plot_roc_hull"]


@dataclass(eq=False, repr=False)
class RocDisplay:
    """A picture of a ROC hull.

    Parameters
    ----------
    hull : RocHull
        What is shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    hull: Any

    def plot(self, ax: Axes | None = None, *, show_weights: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        show_weights : bool
            Whether the colours of the vertices show their class weights.

        Returns
        -------
        RocDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(6.4, 5.4), layout="constrained")
        hull = self.hull
        ax.plot([0, 1], [0, 1], color="0.6", lw=0.8, ls=":")
        ax.fill_between(
            hull.roc_fpr,
            hull.roc_tpr,
            np.interp(hull.roc_fpr, hull.fpr, hull.tpr),
            color=ACCENT,
            alpha=0.12,
            lw=0,
        )
        alone = f"thresholds alone, equal weights (area {hull.auc_of_thresholds:.3f})"
        ax.plot(hull.roc_fpr, hull.roc_tpr, color=MAIN, lw=1.4, label=alone)
        label = f"hull of all class weights (area {hull.auc:.3f})"
        ax.plot(hull.fpr, hull.tpr, color=ACCENT, lw=1.8, label=label)
        inner = slice(1, -1)
        style: dict[str, Any] = {"s": 42, "zorder": 3, "clip_on": False, "edgecolor": "white"}
        if show_weights:
            points = ax.scatter(
                hull.fpr[inner],
                hull.tpr[inner],
                c=hull.share[inner],
                cmap="viridis",
                vmin=0,
                vmax=1,
                **style,
            )
            bar = ax.figure.colorbar(points, ax=ax, shrink=0.85, aspect=28, pad=0.03)
            bar.set_label("share s of the positive class: C₊ = 2 C s, C₋ = 2 C (1 - s)")
            bar.outline.set_visible(False)
        else:
            ax.scatter(hull.fpr[inner], hull.tpr[inner], color=ACCENT, **style)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.set_aspect("equal")
        ax.set_xlabel("false positive rate")
        ax.set_ylabel("true positive rate")
        ax.legend(frameon=False, loc="lower right")
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def plot_roc_hull(hull: Any, ax: Axes | None = None, **options: Any) -> RocDisplay:
    """Draw the hull and the ROC curve by thresholds alone.

    Parameters
    ----------
    hull : RocHull
        What to draw.
    ax : matplotlib Axes, optional
        Where; a new figure by default.
    **options
        Passed to :meth:`RocDisplay.plot`.

    Returns
    -------
    RocDisplay
        Holds ``ax_`` and ``figure_``.
    """
    return RocDisplay(hull).plot(ax, **options)
