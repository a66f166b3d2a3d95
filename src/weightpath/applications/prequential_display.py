"""Picture of a stream: the loss along it, and the events of the paths that learnt it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from weightpath.metrics import label_of
from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from weightpath.applications.prequential import Prequential

__all__ = ["PrequentialDisplay"]


@dataclass(eq=False, repr=False)
class PrequentialDisplay:
    """A picture of a prequential evaluation.

    Parameters
    ----------
    result : Prequential
        What is shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    result: Prequential

    def plot(
        self,
        ax: Axes | None = None,
        *,
        rolling: int | None = None,
        color: ColorType = MAIN,
        label: str | None = None,
        show_events: bool = False,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default. Several results may share one.
        rolling : int, optional
            Also draw, fainter, the mean over so many last rows.
        color : matplotlib colour
            Of the lines.
        label : str, optional
            Of the result, in the legend.
        show_events : bool
            Whether to draw, on an axis of their own, the events of each step.

        Returns
        -------
        PrequentialDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
        result = self.result
        if rolling is not None:
            text = f"last {rolling} rows" + (f", {label}" if label else "")
            ax.plot(
                result.row, result.rolling(rolling), color=color, lw=0.8, alpha=0.45, label=text
            )
        text = "all rows so far" + (f", {label}" if label else "")
        ax.plot(result.row, result.cumulative, color=color, lw=1.6, label=text)
        ax.set_xlabel("row of the stream")
        label = label_of(result.metric)
        ax.set_ylabel(f"mean {label}" if label == result.metric else label)
        ax.legend(frameon=False, loc="best")
        tidy(ax)
        if show_events:
            self._draw_events(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_events(self, ax: Axes) -> None:
        known = self.result.n_events >= 0
        beside = ax.twinx()
        rows, events = self.result.step_row[known], self.result.n_events[known]
        beside.vlines(rows, 0, events, color=ACCENT, lw=0.8, alpha=0.4)
        beside.set_ylabel("events of a step", color=ACCENT)
        beside.set_ylim(0, 3 * max(events.max(initial=1), 1))
        beside.spines["top"].set_visible(False)
