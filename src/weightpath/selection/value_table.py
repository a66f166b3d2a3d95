"""What rows or groups of rows are worth, as users get it: values with standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.plotting.values_display import ValuesDisplay

__all__ = ["DataValues"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DataValues:
    """What the rows of a training set, or groups of them, are worth.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The value of each row or group: positive where it helps, whether the metric is a score or a
        loss.
    standard_errors : ndarray of shape (n,)
        Of the values; zero where all subsets were looked at, nan of a single sample.
    players : ndarray of shape (n,)
        The number of each row, or the name of each group.
    kind : str
        "Shapley" or "Banzhaf".
    metric : str
        The name of the metric.
    empty_worth, full_worth : float
        What no rows and all rows are worth: the metric, negated if it is a loss. Shapley values add
        up to the difference (to rounding, and unless walks were truncated).
    n_samples : int
        How many permutations, or subsets, the values are means over.
    n_steps : int
        How many exact paths were followed.
    """

    values: Reals
    standard_errors: Reals
    players: NDArray[Any]
    kind: str
    metric: str
    empty_worth: float
    full_worth: float
    n_samples: int
    n_steps: int
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return (
            f"<DataValues: {self.kind} values of {len(self)} by {self.metric}, "
            f"{np.min(self.values):.3g} to {np.max(self.values):.3g}, "
            f"largest standard error {np.max(self.standard_errors):.2g}>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            f"{self.kind} values",
            [
                ("metric", self.metric),
                ("values", len(self)),
                ("smallest", float(np.min(self.values))),
                ("largest", float(np.max(self.values))),
                ("largest standard error", float(np.max(self.standard_errors))),
                ("worth of no rows", float(self.empty_worth)),
                ("worth of all rows", float(self.full_worth)),
                ("samples", self.n_samples),
                ("paths", self.n_steps),
            ],
        )

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions in ``values`` from the most helpful to the most harmful."""
        return np.argsort(-self.values, kind="stable")

    def to_frame(self) -> DataFrame:
        """Values as a :class:`pandas.DataFrame`, the most helpful first.

        Returns
        -------
        DataFrame
            Columns ``player``, ``value`` and ``standard_error``. Where the values are of rows and
            these came in a frame, or with a series of labels, this has the index of that.
        """
        pd = pandas_for("DataValues.to_frame")
        order = self.order
        table = {
            "player": self.players[order],
            "value": self.values[order],
            "standard_error": self.standard_errors[order],
        }
        if self._names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self._names[order], name="instance"))

    def plot(self, ax: Any = None, **kwargs: Any) -> ValuesDisplay:
        """Draw the values in order, with two standard errors on each side.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        **kwargs
            Passed to ``ValuesDisplay.plot``.

        Returns
        -------
        ValuesDisplay
            With ``ax_`` and ``figure_``.
        """
        from weightpath.plotting.values_display import ValuesDisplay

        display = ValuesDisplay(self.values, self.standard_errors, self.kind, self.metric)
        return display.plot(ax, **kwargs)
