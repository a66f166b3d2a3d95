r"""Problems whose rows are pairs of documents.

The variables belong to pairs, the kernel to documents: with the differences :math:`D` and the
kernel matrix :math:`G` of the documents the problem's matrix is :math:`D G D'`, and at a new
document the model says :math:`f(x) = \sum_d k(x, x_d) (D'\beta)_d`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightpath.kernels.pairs import pair_diagonal
from weightpath.path._pair_certificate import largest_violation
from weightpath.path.response import Response
from weightpath.problems import PreferencePairs
from weightpath.problems.position import free_in, is_at_knot, is_free, knot_below
from weightpath.problems.scales import coefficient_units

__all__ = ["PairResponse", "PairRows"]


class PairResponse(Response):
    """The map from coefficients of pairs to values at points; see :class:`Response`."""

    def __init__(self, kernel, points, train, pairs: PreferencePairs):
        super().__init__(kernel, points, train)
        self._pairs = pairs

    @property
    def is_dense(self) -> bool:
        """Whether full products are cheap: no, going over all pairs is not.

        The pairs that change from block to block are few, so their share is carried over.
        """
        return False

    def product(self, coef: np.ndarray) -> np.ndarray:
        """Return the sums for coefficients of shape (k, n_pairs), of shape (k, n_points)."""
        return super().product(self._pairs.gather(coef))

    def columns(self, rows: np.ndarray) -> np.ndarray:
        """Return the values of pairs with all points, (len(rows), n_points)."""
        first, second = self._pairs.first[rows], self._pairs.second[rows]
        used, index = np.unique(np.concatenate([first, second]), return_inverse=True)
        values = super().columns(used)
        return values[index[: len(rows)]] - values[index[len(rows) :]]


@dataclass(frozen=True, eq=False)
class PairRows:
    """How coefficients of pairs are evaluated.

    Parameters
    ----------
    pairs : PreferencePairs
    """

    pairs: PreferencePairs
    rows_are = "pairs"

    def __len__(self) -> int:
        return len(self.pairs)

    def train(self, X):
        """Return the documents."""
        return X

    def response(self, kernel, points, train) -> PairResponse:
        """Return the map from coefficients to values at points."""
        return PairResponse(kernel, points, train, self.pairs)

    def offset_at(self, theta):
        """Return what is added to every value: nothing."""
        return np.zeros_like(theta)

    def intercept(self, theta, beta: np.ndarray):
        """Return the value at the origin of the kernel's space: zero."""
        return np.zeros_like(theta)

    def values(self, kernel, points, train, coef: np.ndarray) -> np.ndarray:
        """Return values at points for coefficients of shape (n_pairs, k), as (n_points, k)."""
        return kernel.product(points, train, self.pairs.gather(coef.T).T)

    def own_product(self, kernel, train, beta: np.ndarray) -> np.ndarray:
        """Return the problem's matrix times ``beta``."""
        values = kernel.product(train, train, self.pairs.gather(beta))
        return self.pairs.differences(values)

    def own_diagonal(self, kernel, train) -> np.ndarray:
        """Return the diagonal of the problem's matrix."""
        return pair_diagonal(kernel, train, self.pairs, kernel.diagonal(train))

    def violation(self, staircase, moment, kappa, documents) -> float:
        """Return the violation of one solution; see :meth:`violations`."""
        free = np.flatnonzero(is_free(moment.position))
        margin = free, moment.beta[free]
        worst = self.violations(
            staircase, staircase, 0.0, moment.position, margin, documents, kappa
        )
        # A pair at a knot has the coefficient of that knot, or is off by the difference.
        knot = knot_below(moment.position, staircase.n_knots)
        off = np.abs(moment.beta - staircase.knots[np.arange(len(moment.beta)), knot])
        off = np.where(is_at_knot(moment.position), off, 0.0)
        unit = coefficient_units(staircase.knots, staircase.levels, kappa, 1.0)
        return float(np.maximum(worst, (off / unit).max(initial=0.0)))

    def violations(self, start, end, theta, position, margin, documents, kappa) -> float:
        """Return the largest distance of a pair from its optimality condition at one theta.

        Parameters
        ----------
        start, end : Staircase
        theta : float
        position : ndarray of shape (n_pairs,)
        margin : tuple of ndarray
            The pairs on the margin and their coefficients.
        documents : ndarray of shape (n_documents,)
            Values of the training documents, from the data.
        kappa : ndarray of shape (n_pairs,)
            How far a coefficient's change by one may move any residual.
        """
        weight = (1.0 - theta) * start.knots[:, 1] + theta * end.knots[:, 1]
        member, value = margin
        # Where the record has a coefficient of its own the pair is free, whatever the events say.
        position = np.array(position, dtype=np.int8)
        position[member] = free_in(1)
        with np.errstate(divide="ignore"):
            # The target, and so the unit of residuals, is one.
            unit = np.where(kappa[member] > 0, 1.0 / kappa[member], np.inf)
        unit = np.minimum(unit, np.where(weight[member] > 0, weight[member], np.inf))
        outside = (np.maximum(-value, value - weight[member]) / unit).max(initial=0.0)
        pairs = self.pairs
        worst = largest_violation(
            pairs.upper,
            pairs.lower,
            pairs.upper_start,
            pairs.lower_start,
            position,
            weight,
            np.ascontiguousarray(documents),
            float(start.target[0]) if len(pairs) else 0.0,
        )
        return float(np.maximum(worst, max(outside, 0.0)))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return everything as named arrays, for saving."""
        names = ("upper", "lower", "upper_start", "lower_start")
        arrays = {f"pair_{name}": getattr(self.pairs, name) for name in names}
        return {**arrays, "pair_documents": np.array(self.pairs.n_documents)}

    @classmethod
    def from_arrays(cls, arrays) -> PairRows | None:
        """Return what :meth:`to_arrays` has described; ``None`` if nothing was."""
        if "pair_upper" not in arrays:
            return None
        names = ("upper", "lower", "upper_start", "lower_start")
        documents = int(arrays["pair_documents"])
        return cls(PreferencePairs(documents, *(arrays[f"pair_{name}"] for name in names)))
