"""Picture of a transduction: the objective while weights grow and labels switch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.applications.transduction_run import Step

__all__ = ["TransductionDisplay"]


@dataclass(eq=False, repr=False)
class TransductionDisplay:
    """A picture of a search for labels, and the data it shows.

    Parameters
    ----------
    history : list of Step
        Of :class:`weightpath.TransductiveSVC`.

    Attributes
    ----------
    objective : ndarray of shape (n_steps,)
        The objective after every path.
    switch : ndarray of bool
        Which of them switched labels.
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    history: list[Step]
    objective: NDArray[np.float64] = field(init=False)
    switch: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.objective = np.array([step.objective for step in self.history])
        self.switch = np.array([step.kind == "switch" for step in self.history])

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.

        Returns
        -------
        TransductionDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
        number = np.arange(len(self.objective))
        ax.plot(number, self.objective, color=MAIN, lw=1.2, label="objective")
        ax.plot(
            number[self.switch],
            self.objective[self.switch],
            ".",
            color=ACCENT,
            label=f"after a switch ({int(self.switch.sum())})",
        )
        ax.set_yscale("log")
        ax.set_xlabel("path (C* grows from left to right)")
        ax.set_ylabel("objective")
        ax.legend(frameon=False)
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
