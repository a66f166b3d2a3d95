r"""Problems whose rows are pairs of documents.

The variables belong to pairs, the kernel to documents: with the differences :math:`D` and the
kernel matrix :math:`G` of the documents the problem's matrix is :math:`D G D'`, and at a new
document the model says :math:`f(x) = \sum_d k(x, x_d) (D'\beta)_d`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels import Kernel
from weightpath.kernels.pairs import pair_diagonal
from weightpath.kernels.response import Response
from weightpath.path._pair_certificate import largest_violation
from weightpath.path.certifying import last_theta
from weightpath.path.moment import Moment
from weightpath.path.rows import Rows, Sweep
from weightpath.problems import PreferencePairs, Staircase
from weightpath.problems.position import Positions, free_in, is_at_knot, is_free, knot_below
from weightpath.problems.scales import coefficient_units
from weightpath.record.stored_ends import check_range, need

if TYPE_CHECKING:
    from weightpath.path.part import PathPart

__all__ = ["PairResponse", "PairRows"]


Reals = NDArray[np.float64]


class PairResponse(Response):
    """The map from coefficients of pairs to values at points; see :class:`Response`."""

    def __init__(self, kernel: Kernel, points: Any, train: Any, pairs: PreferencePairs):
        super().__init__(kernel, points, train)
        self._pairs = pairs

    @property
    def is_dense(self) -> bool:
        """Whether full products are cheap: no, going over all pairs is not.

        The pairs that change from block to block are few, so their share is carried over.
        """
        return False

    def product(self, coef: Reals) -> Reals:
        """Return the sums for coefficients of shape (k, n_pairs), of shape (k, n_points)."""
        return super().product(self._pairs.gather(coef))

    def columns(self, rows: NDArray[np.intp]) -> Reals:
        """Return the values of pairs with all points, (len(rows), n_points)."""
        first, second = self._pairs.first[rows], self._pairs.second[rows]
        used, index = np.unique(np.concatenate([first, second]), return_inverse=True)
        values = super().columns(used)
        return np.asarray(values[index[: len(rows)]] - values[index[len(rows) :]])


@dataclass(frozen=True, eq=False, repr=False)
class PairRows(Rows):
    """How coefficients of pairs are evaluated.

    Parameters
    ----------
    pairs : PreferencePairs
    """

    pairs: PreferencePairs
    rows_are = "pairs"
    array_names = (
        "pair_upper",
        "pair_lower",
        "pair_upper_start",
        "pair_lower_start",
        "pair_documents",
    )

    def __repr__(self) -> str:
        return f"<PairRows: {self.pairs!r}>"

    def __len__(self) -> int:
        return len(self.pairs)

    def count(self, X: Any) -> int:
        """Return how many pairs there are."""
        return len(self)

    def train(self, X: Any) -> Any:
        """Return the documents."""
        return X

    def response(self, kernel: Kernel, points: Any, train: Any) -> PairResponse:
        """Return the map from coefficients to values at points."""
        return PairResponse(kernel, points, train, self.pairs)

    def intercept(self, theta: Any, beta: Reals, bias: Any = 0.0) -> Any:
        """Return the value at the origin of the kernel's space: zero."""
        return np.zeros_like(theta)

    def condensed(self, beta: Reals) -> Reals:
        """Return what the coefficients of pairs add up to at documents."""
        return self.pairs.gather(beta)

    def values(self, kernel: Kernel, points: Any, train: Any, coef: Reals) -> Reals:
        """Return values at points for sums at documents, (n_documents, k), as (n_points, k)."""
        return kernel.product(points, train, coef)

    def sweep(self, part: PathPart, X: Any) -> Sweep | None:
        """Return the kernel values of all documents."""
        pairs = self.pairs
        if not Response.fits(pairs.n_documents, X.shape[0]):
            return None
        K = part.kernel_rows(X, np.arange(pairs.n_documents))
        places = pairs.first.astype(np.intp), pairs.second.astype(np.intp)
        return Sweep(K, places, lambda coef: pairs.gather(coef) @ K)

    def own_product(self, kernel: Kernel, train: Any, beta: Reals) -> Reals:
        """Return the problem's matrix times ``beta``."""
        values = kernel.product(train, train, self.pairs.gather(beta))
        return self.pairs.differences(values)

    def own_diagonal(self, kernel: Kernel, train: Any) -> Reals:
        """Return the diagonal of the problem's matrix."""
        return pair_diagonal(kernel, train, self.pairs, kernel.diagonal(train))

    def violations_at(self, part: PathPart, theta: Reals, relative: bool) -> Reals:
        """Return the violation at each of several theta.

        Relative to the margin asked of a pair; as that is one, it makes no difference here.
        """
        found = np.empty(theta.size)
        # All at once: values of all documents cost all kernel values, however many are asked for.
        for k, value in enumerate(part.decision_values(part.X, theta)):
            moment = part.moment(theta[k])
            found[k] = self.violation(part.staircase(theta[k]), moment, part.kappa, value)
        return found

    def largest_violation(self, part: PathPart, single: Reals, relative: bool) -> float:
        """Return the largest violation on all segments, and at single theta besides."""
        worst = np.max(self.violations_at(part, single, relative))
        # np.maximum, unlike max, keeps NaN.
        return float(np.maximum(worst, self._largest_on_segments(part)))

    def _largest_on_segments(self, part: PathPart) -> float:
        """Return the largest violation on all segments, from the values of documents."""
        worst, record, segment, events = 0.0, part.record, 0, 0
        position = record.initial_position.copy()
        for block, value, slope in part.iter_blocks(part.X):
            last = last_theta(part, block.right)
            exact = block.left_rest == 1.0 - block.left
            for s in range(len(block.left)):
                done = record.event_count[segment]
                position[record.event_index[events:done]] = record.event_to[events:done]
                events, entry = done, slice(record.offset[segment], record.offset[segment + 1])
                segment += 1
                if not exact[s]:
                    continue
                for theta in (block.left[s], 0.5 * (block.left[s] + block.right[s]), last[s]):
                    step = float(block.step(np.full(len(block.left), theta))[s])
                    margin = record.member[entry], record.value[entry] + step * record.slope[entry]
                    documents = value[s] + step * slope[s]
                    found = self.violations(
                        part.start, part.end, theta, position, margin, documents, part.kappa
                    )
                    worst = float(np.maximum(worst, found))
        return worst

    def violation(
        self, staircase: Staircase, moment: Moment, kappa: Reals, documents: Reals
    ) -> float:
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

    def violations(
        self,
        start: Staircase,
        end: Staircase,
        theta: float,
        position: Positions,
        margin: tuple[NDArray[np.int64], Reals],
        documents: Reals,
        kappa: Reals,
    ) -> float:
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
        # A pair with a coefficient in the record is free, whatever the events say.
        at = np.array(position, dtype=np.int8)
        at[member] = free_in(1)
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
            at,
            weight,
            np.ascontiguousarray(documents),
            float(start.target[0]) if len(pairs) else 0.0,
        )
        return float(np.maximum(worst, max(outside, 0.0)))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays, for saving."""
        names = ("upper", "lower", "upper_start", "lower_start")
        arrays = {f"pair_{name}": getattr(self.pairs, name) for name in names}
        return {**arrays, "pair_documents": np.array(self.pairs.n_documents)}

    @classmethod
    def check_arrays(
        cls, own: Mapping[str, NDArray[Any]], shape: tuple[int, int], kernel: Kernel
    ) -> int:
        """Check the tables of pairs of a file."""
        for name in cls.array_names:
            need(name in own and own[name].dtype.kind in "iu", f"{name} of a subproblem is missing")
            need(own[name].ndim == (name != "pair_documents"), f"{name} of a subproblem is no list")
        need(own["pair_documents"] == shape[0], "the pairs are of other documents")
        sizes = []
        for side in ("upper", "lower"):
            document, start = own[f"pair_{side}"], own[f"pair_{side}_start"]
            check_range(document, shape[0], "the documents of the pairs")
            need(start.size > 0 and start[0] == 0, "the tables of pairs do not begin")
            need((start[1:] >= start[:-1]).all(), "the tables of pairs overlap")
            need(start[-1] == document.size, "the tables of pairs are not whole")
            sizes.append(np.diff(start.astype(np.int64)))
        need(sizes[0].size == sizes[1].size, "the tables of pairs have no second half")
        # As many pairs as coefficients: so tables cannot ask for more memory than the file takes.
        # In floating point, as the product may be beyond whole numbers.
        n_pairs = own["sign"].size
        need(np.dot(sizes[0].astype(float), sizes[1].astype(float)) == n_pairs, "pairs are missing")
        return int(n_pairs)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PairRows:
        """Return what :meth:`to_arrays` has described."""
        names = ("upper", "lower", "upper_start", "lower_start")
        documents = int(arrays["pair_documents"])
        return cls(PreferencePairs(documents, *(arrays[f"pair_{name}"] for name in names)))
