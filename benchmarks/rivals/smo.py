r"""Sequential minimal optimisation with alpha seeding, for classification and regression.

Both problems are one in signed coefficients :math:`\beta` (:math:`y_i\alpha_i` in classification):

.. math:: \min_\beta \tfrac12\beta'K\beta - t'\beta + \varepsilon\|\beta\|_1, \qquad
          l \le \beta \le u, \quad 1'\beta = 0,

with target :math:`t = y`; classification has :math:`\varepsilon = 0` and the box between 0 and
:math:`y_iC_i`, regression the box :math:`\pm C_i`. Kept are the residuals :math:`r = t - K\beta`.
Raising :math:`\beta_i` gains :math:`r_i \mp \varepsilon` (minus where :math:`\beta_i \ge 0`),
lowering :math:`\beta_j` loses :math:`r_j \mp \varepsilon` (minus where :math:`\beta_j > 0`). A
point is optimal when the greatest gain is no greater than the least loss, and the loop stops when
it is greater by at most ``tol``: the measure, and with 1e-3 the default, of LIBSVM.

A step raises the row of greatest gain and lowers the row that promises most by second-order
information, :math:`(\mathrm{gain}_i - \mathrm{loss}_j)^2 / (K_{ii} + K_{jj} - 2K_{ij})` [1]_.
A step stops at bounds and, in regression, at zero; so it does what LIBSVM does with two variables
a row, at half the price. Rows that are settled are laid aside for a while ("shrinking", see
:mod:`benchmarks.rivals.smo_loop`); there is no cache, as the whole matrix is given.

Alpha seeding [2]_: when weights, rows or labels change, the old coefficients are clipped to the new
boxes, and what the sum is then off is shared among the free coefficients in proportion to their
room; what they cannot take, the others give by moving towards zero, again in proportion. Zero is
feasible, so that always suffices. Residuals are corrected for the changed coefficients only. With
``seeding="bound"`` coefficients at a weight follow it, before the clipping: usually closer to the
new solution when weights grow, but more coefficients change.

References
----------
.. [1] R.-E. Fan, P.-H. Chen and C.-J. Lin, "Working set selection using second order information
   for training support vector machines", Journal of Machine Learning Research 6, 2005.
.. [2] D. DeCoste and K. Wagstaff, "Alpha seeding for support vector machines", KDD 2000.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.rivals.smo_loop import optimise
from benchmarks.rivals.smo_steps import subtract_rows

SEEDINGS = ("clip", "bound")


@dataclass(frozen=True)
class SMOResult:
    """Where the loop ended.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        Coefficients: between 0 and the weight in classification, signed in regression.
    bias : float
        In the middle of what the last working set leaves open.
    objective : float
        The dual objective, to be minimised.
    iterations : int
        Steps, each of which changes two coefficients.
    capped : bool
        Whether the time was over before the tolerance was met.
    gap : float
        Greatest gain less least loss at the end; at most ``tol`` unless capped.
    """

    alpha: np.ndarray
    bias: float
    objective: float
    iterations: int
    capped: bool
    gap: float


class _SMO:
    """Rows of the signed problem and where their solution stands."""

    shrinking = True

    def __init__(self, K, target, C_i, epsilon: float):
        K = np.ascontiguousarray(K, dtype=np.float64)
        target, C_i = np.array(target, dtype=np.float64), np.array(C_i, dtype=np.float64)
        if K.ndim != 2 or K.shape != (len(target), len(target)) or C_i.shape != target.shape:
            raise ValueError(
                "K must be square, with one row for each target and weight; got shapes "
                f"{K.shape}, {target.shape} and {C_i.shape}"
            )
        self._store, self._n = K, len(target)
        self._borrowed = True
        self.target, self.epsilon = target, float(epsilon)
        self.weight = _checked_weights(C_i)
        self.beta = np.zeros(self._n)
        self.residual = target.copy()

    @property
    def K(self) -> np.ndarray:  # noqa: N802
        """The kernel matrix of all rows, removed ones included."""
        return self._store[: self._n, : self._n]

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _solve(self, tol: float, max_seconds: float | None):
        whole = (self._store, self.beta, self.residual, *self._box())
        steps, capped, gain, loss = optimise(whole, self.epsilon, tol, max_seconds, self.shrinking)
        known = [value for value in (gain, loss) if np.isfinite(value)]
        bias = float(np.mean(known)) if known else 0.0
        return bias, steps, capped, float(gain - loss)

    def _objective(self) -> float:
        return float(
            -0.5 * self.beta @ (self.target + self.residual)
            + self.epsilon * np.abs(self.beta).sum()
        )

    def _seed(self, beta) -> None:
        """Go to coefficients made feasible, and correct the residuals for what changed."""
        low, high = self._box()
        beta = balanced(np.clip(beta, low, high), low, high)
        changed = np.flatnonzero(beta != self.beta)
        subtract_rows(self._store, changed, (beta - self.beta)[changed], self.residual)
        self.beta = beta

    def _follow_weights(self, C_i, seeding: str) -> np.ndarray:
        """Take new weights; return the coefficients to seed with."""
        if seeding not in SEEDINGS:
            raise ValueError(f"seeding must be one of {SEEDINGS}, not {seeding!r}")
        C_i = _checked_weights(np.array(np.broadcast_to(C_i, self.weight.shape), dtype=np.float64))
        beta = self.beta
        if seeding == "bound":
            bounded = (np.abs(beta) == self.weight) & (self.weight > 0.0)
            beta = np.where(bounded, np.sign(beta) * C_i, beta)
        self.weight = C_i
        return beta

    def reweight(self, C_i, seeding: str = "clip") -> None:
        """Change all weights; the next ``solve`` starts from the seeded coefficients."""
        self._seed(self._follow_weights(C_i, seeding))

    def remove(self, rows) -> None:
        """Take rows out: their coefficients go to the others, their weights are zero from now on.

        The rows keep their numbers until ``insert`` puts others in their place.
        """
        weight = self.weight.copy()
        weight[np.asarray(rows)] = 0.0
        self.reweight(weight)

    def _insert(self, K_rows, target, C_i, rows) -> None:
        K_rows, target = np.atleast_2d(np.asarray(K_rows, float)), np.atleast_1d(target)
        n_new = len(target)
        rows = np.arange(self._n, self._n + n_new) if rows is None else np.asarray(rows)
        old = rows[rows < self._n]
        if np.any(self.weight[old] > 0.0):
            raise ValueError("only rows that were removed can be put to new use; remove them first")
        size = max(self._n, int(rows.max(initial=-1)) + 1)
        if K_rows.shape != (n_new, size) or rows.shape != (n_new,):
            raise ValueError(
                f"K_rows must hold the values of the {n_new} new rows with all {size} rows, "
                f"themselves included; its shape is {K_rows.shape}"
            )
        if size - self._n != n_new - len(old):
            raise ValueError("rows beyond the end must follow it without a hole")
        self.grow(size)
        self._store[rows, :size] = K_rows
        self._store[:size, rows] = K_rows.T
        self.target[rows] = target
        self.weight[rows] = _checked_weights(np.broadcast_to(C_i, rows.shape))
        self.residual[rows] = target - self.K[rows] @ self.beta

    def grow(self, size: int) -> None:
        """Make the matrix our own, with room for ``size`` rows (doubled, so that it is rare)."""
        if self._borrowed or size > len(self._store):
            room = size if size <= len(self._store) else max(size, self._n + self._n // 8)
            store = np.zeros((room, room))
            store[: self._n, : self._n] = self.K
            self._store, self._borrowed = store, False
        more = size - self._n
        if more:
            for name in ("target", "weight", "beta", "residual"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more)]))
            self._n = size


class SMOClassifier(_SMO):
    """Weighted support vector classification with a bias.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix, float64 for use without a copy.
    y : array-like of shape (n,)
        Labels, -1 and 1.
    C_i : array-like of shape (n,)
        Weights, zero allowed.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.rivals.smo import SMOClassifier
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> solver = SMOClassifier(X @ X.T, [-1, -1, 1, 1], np.full(4, 10.0))
    >>> result = solver.solve()
    >>> print(result.alpha, result.bias)
    [0.  0.5 0.5 0. ] -2.0
    """

    def __init__(self, K, y, C_i):
        super().__init__(K, _checked_labels(y), C_i, 0.0)

    def _box(self):
        edge = self.target * self.weight
        return np.minimum(edge, 0.0), np.maximum(edge, 0.0)

    def solve(self, alpha0=None, tol: float = 1e-3, max_seconds: float | None = None) -> SMOResult:
        """Go on from ``alpha0``, made feasible, or from where the solver stands (first: zero)."""
        if alpha0 is not None:
            self._seed(self.target * np.asarray(alpha0, dtype=np.float64))
        bias, steps, capped, gap = self._solve(tol, max_seconds)
        return SMOResult(np.abs(self.beta), bias, self._objective(), steps, capped, gap)

    def insert(self, K_rows, y, C_i, rows=None) -> None:
        """Add rows with coefficient zero, at the end or in the place of removed ``rows``.

        ``K_rows`` has shape (new rows, all rows afterwards). The matrix is copied at the first
        call and when its reserve is used up; else only the new rows and columns are written.
        """
        self._insert(K_rows, _checked_labels(y), C_i, rows)

    def relabel(self, rows, y) -> None:
        """Change labels. A coefficient keeps its size and changes its sign; the others balance."""
        rows, y = np.asarray(rows), _checked_labels(y)
        beta, target = self.beta.copy(), self.target.copy()
        target[rows] = y
        beta[rows] = y * np.abs(beta[rows])
        self.residual += target - self.target
        self.target = target
        self._seed(beta)


class SMORegressor(_SMO):
    """Weighted support vector regression with tube ``epsilon`` and a bias; signed coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.rivals.smo import SMORegressor
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> result = SMORegressor(X @ X.T, [0.0, 1.0, 2.0], np.full(3, 10.0), epsilon=0.5).solve()
    >>> print(result.alpha, result.bias)
    [-0.25  0.    0.25] 0.5
    """

    def __init__(self, K, y, C_i, epsilon: float = 0.1):
        super().__init__(K, y, C_i, epsilon)

    def _box(self):
        return -self.weight, self.weight

    def solve(self, alpha0=None, tol: float = 1e-3, max_seconds: float | None = None) -> SMOResult:
        """Go on from ``alpha0``, made feasible, or from where the solver stands (first: zero)."""
        if alpha0 is not None:
            self._seed(np.asarray(alpha0, dtype=np.float64))
        bias, steps, capped, gap = self._solve(tol, max_seconds)
        return SMOResult(self.beta.copy(), bias, self._objective(), steps, capped, gap)

    def insert(self, K_rows, y, C_i, rows=None) -> None:
        """Add rows with coefficient zero, as :meth:`SMOClassifier.insert` does."""
        self._insert(K_rows, np.atleast_1d(np.asarray(y, dtype=np.float64)), C_i, rows)


def balanced(beta, low, high) -> np.ndarray:
    """Return coefficients inside their box whose sum is zero, near given ones inside it.

    Free ones first, then those off zero, each in proportion to the room it has.
    """
    beta = beta.copy()
    free = (beta > low) & (beta < high)
    for turn in ("free", "towards zero", "rounding"):
        off = beta.sum()
        if off == 0.0:
            break
        if turn == "free":
            room = np.where(free, beta - low if off > 0.0 else high - beta, 0.0)
        else:
            room = np.maximum(np.sign(off) * beta, 0.0)
        if turn == "rounding":
            # What is left is a matter of the last digits; one coefficient takes it.
            room = np.where(np.arange(len(beta)) == np.argmax(room), room, 0.0)
        share = min(abs(off) / room.sum(), 1.0) if room.any() else 0.0
        beta -= np.sign(off) * share * room
        beta = np.clip(beta, low, high)
    return beta


def _checked_labels(y) -> np.ndarray:
    y = np.atleast_1d(np.asarray(y, dtype=np.float64))
    if not np.all(np.abs(y) == 1.0):
        raise ValueError("labels must be -1 and 1")
    return y


def _checked_weights(C_i) -> np.ndarray:
    if not np.all(np.isfinite(C_i)) or np.any(np.asarray(C_i) < 0.0):
        raise ValueError("weights must be finite and not negative")
    return C_i
