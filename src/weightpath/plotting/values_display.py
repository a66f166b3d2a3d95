"""Picture of data values: all of them in order, with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics import label_of
from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

__all__ = ["ValuesDisplay"]


@dataclass(eq=False)
class ValuesDisplay:
    """A picture of data values, and the data it shows.

    Parameters
    ----------
    values, standard_errors : ndarray of shape (n,)
        What is shown.
    kind : str
        What the values are called, such as "Shapley".
    metric : str
        The name of the metric.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    kind: str
    metric: str

    def plot(
        self,
        ax: Axes | None = None,
        *,
        color: ColorType = MAIN,
        harmful_color: ColorType = ACCENT,
        n_errors: float = 2.0,
    ) -> Self:
        """Draw a bar for each value, from the most helpful to the most harmful.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        color, harmful_color : matplotlib colour
            Of values that are positive, and of negative ones.
        n_errors : float, default=2
            How many standard errors are drawn on each side.

        Returns
        -------
        ValuesDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
        order = np.argsort(-self.values, kind="stable")
        values, rank = self.values[order], np.arange(1, len(order) + 1)
        helps = values >= 0
        for own, own_color, label in (
            (helps, color, "helps"),
            (~helps, harmful_color, "harms"),
        ):
            if own.any():
                ax.bar(rank[own], values[own], width=0.9, color=own_color, label=label, lw=0)
        errors = n_errors * np.nan_to_num(self.standard_errors[order])
        if errors.any():
            ax.vlines(rank, values - errors, values + errors, color="0.45", lw=0.7)
        ax.axhline(0.0, color="0.45", lw=0.8)
        ax.set_xlim(0.4, len(order) + 0.6)
        ax.set_xlabel("rank, from the most helpful to the most harmful")
        ax.set_ylabel(f"{self.kind} value: {label_of(self.metric)}")
        ax.legend(frameon=False, loc="best")
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
