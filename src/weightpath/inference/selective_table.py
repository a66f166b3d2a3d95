"""Tests and intervals of selected features, as users get them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["SelectiveInference"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveInference:
    """Tests and intervals of the selected features, given that they were selected.

    Attributes
    ----------
    features : ndarray of int of shape (k,)
        The selected features.
    coef : ndarray of shape (k,)
        Their coefficients in the lasso.
    estimates : ndarray of shape (k,)
        Their coefficients in the least-squares fit with the selected features: what is tested.
    standard_errors : ndarray of shape (k,)
        Standard deviations of the estimates, before selection.
    p_values : ndarray of shape (k,)
        Two-sided, of the hypothesis that the coefficient is zero.
    intervals : ndarray of shape (k, 2)
        Confidence intervals at ``level``; an end may be infinite.
    level : float
        Their level.
    truncation : tuple of ndarray of shape (m, 2)
        For each feature the values of its estimate at which the same would have been selected, as
        a union of intervals, as far as it was followed.
    condition : str
        What is conditioned on, in words.
    n_events : int
        The events on all paths.
    """

    features: NDArray[np.intp]
    coef: Reals
    estimates: Reals
    standard_errors: Reals
    p_values: Reals
    intervals: Reals
    level: float
    truncation: tuple[Reals, ...]
    condition: str
    n_events: int
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        text = f"<SelectiveInference: {len(self)} features, given {self.condition}"
        if len(self):
            text += f"; p-values {self.p_values.min():.3g} to {self.p_values.max():.3g}"
        return text + ">"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("given", self.condition)]
        for k, feature in enumerate(self.features):
            name = feature if self._names is None else self._names[k]
            low, high = self.intervals[k]
            rows.append(
                (
                    str(name),
                    f"{self.estimates[k]:.4g}, p = {self.p_values[k]:.3g}, "
                    f"{100 * self.level:g} %: {low:.4g} to {high:.4g}",
                )
            )
        return html_table("Selective inference", rows)

    def to_frame(self) -> DataFrame:
        """One row a feature, as a :class:`pandas.DataFrame`.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``coef``, ``estimate``, ``standard_error``, ``p_value``, ``lower``
            and ``upper``; the index has the names of the features, if there are any.
        """
        pd = pandas_for("SelectiveInference.to_frame")
        table = {
            "feature": self.features,
            "coef": self.coef,
            "estimate": self.estimates,
            "standard_error": self.standard_errors,
            "p_value": self.p_values,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
        }
        if self._names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self._names, name="name"))
