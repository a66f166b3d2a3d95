"""The solution of basis pursuit at one theta of a path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.small_tables import html_table

__all__ = ["PursuitSolution"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PursuitSolution:
    """A solution of basis pursuit with the dual vector that certifies it.

    Attributes
    ----------
    theta : float
        Where on the path.
    coef : ndarray of shape (n_features,)
        The coefficients.
    dual : ndarray of shape (n_samples,)
        The dual vector ``u``: ``|Phi'u| <= weights``, and the objective is ``(Phi coef)'u``.
    weights : ndarray of shape (n_features,)
        The penalty weights there.
    """

    theta: float
    coef: Reals
    dual: Reals
    weights: Reals

    def __post_init__(self) -> None:
        for array in (self.coef, self.dual, self.weights):
            array.setflags(write=False)

    @property
    def active(self) -> NDArray[np.intp]:
        """The features with a coefficient."""
        return np.flatnonzero(self.coef)

    @property
    def objective(self) -> float:
        """The weighted sum of the absolute coefficients."""
        return float(self.weights @ np.abs(self.coef))

    def __repr__(self) -> str:
        return (
            f"<PursuitSolution: theta={self.theta:.6g}, {self.active.size} features in use, "
            f"objective={self.objective:.6g}>"
        )

    def _repr_html_(self) -> str:
        rows = [("theta", float(self.theta)), ("features in use", int(self.active.size))]
        return html_table("Solution", [*rows, ("objective", self.objective)])
