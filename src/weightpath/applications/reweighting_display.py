"""Picture of a scheme that reweights in turns: how the residuals settle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.applications.heteroscedastic_svr import Reweighting

__all__ = ["ReweightingDisplay"]


@dataclass(eq=False, repr=False)
class ReweightingDisplay:
    """A picture of the rounds of a reweighting scheme.

    Parameters
    ----------
    history : list of Reweighting
        The rounds.
    tol : float
        The change at which the scheme stops.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    history: list[Reweighting]
    tol: float

    def plot(self, ax: Axes | None = None, *, show_events: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        show_events : bool
            Whether to draw, on an axis of their own, the events of each path.

        Returns
        -------
        ReweightingDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
        rounds = np.arange(1, len(self.history) + 1)
        change = np.array([one.change for one in self.history])
        ax.plot(rounds, change, "o-", color=MAIN, ms=4, lw=1.4, label="change")
        if (change > 0).any():
            ax.set_yscale("log", nonpositive="mask")
        ax.axhline(self.tol, color="grey", ls="--", lw=1.0, label=f"stop at {self.tol:g}")
        ax.set_xlabel("reweighting")
        ax.set_ylabel("mean relative change of the residuals")
        ax.legend(frameon=False, loc="best")
        tidy(ax)
        if show_events:
            beside = ax.twinx()
            events = np.array([one.n_events for one in self.history])
            beside.bar(rounds, events, width=0.5, color=ACCENT, alpha=0.3)
            beside.set_ylabel("events of the path", color=ACCENT)
            beside.spines["top"].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
