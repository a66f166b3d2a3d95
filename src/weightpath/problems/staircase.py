r"""The one problem form of the library: a staircase for every variable.

Find :math:`\beta \in R^n` and, where there is a bias, :math:`b` with

.. math::

    r = t - K \beta - b 1, \qquad 1'\beta = e, \qquad
    (\beta_i, r_i) \text{ on the staircase of } i .

The staircase of ``i`` has *knots* :math:`k_{i1} \le \dots \le k_{im}` (values of
:math:`\beta_i`) and *levels* :math:`s_{i0} \le \dots \le s_{im}` (values of :math:`r_i`): strictly
between knots ``j`` and ``j + 1`` the residual equals level ``j``; at knot ``j`` it lies between
levels ``j - 1`` and ``j``. It is the graph of the subdifferential of a convex piecewise linear
:math:`h_i`, and the three conditions are the optimality conditions of

.. math::

    \min_\beta \; D(\beta) = \tfrac12 \beta'K\beta - t'\beta + \sum_i h_i(\beta_i),
    \qquad 1'\beta = e .

The loss that the residual pays is the conjugate :math:`h_i^*`, and

.. math::

    \tfrac12 \beta'K\beta + \sum_i h_i^*(r_i) + D(\beta) + b e
    = \sum_i \big( h_i(\beta_i) + h_i^*(r_i) - \beta_i r_i \big) \ge 0

is the duality gap: a sum of non-negative terms, zero exactly on the staircases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems._knots import largest_sizes

__all__ = ["FAR", "Staircase"]

Reals = NDArray[np.float64]

# A knot or level beyond this is out of reach: as good as absent.
FAR = 1e100


@dataclass(frozen=True, eq=False, repr=False)
class Staircase:
    """Targets, knots, levels and total of one problem at one theta.

    Parameters
    ----------
    target : ndarray of shape (n,)
        The right-hand side ``t``.
    knots : ndarray of shape (n, m)
        Values of ``beta`` at which a staircase is vertical, increasing along a row.
    levels : ndarray of shape (n, m + 1)
        Values of ``r`` between the knots, increasing along a row; the first may be ``-inf`` and
        the last ``inf`` (then the outermost knots are bounds of ``beta``).
    total : float
        The value ``e`` of the sum of ``beta``; without a bias it is not used.
    has_bias : bool
        Whether there is a bias, and so the sum constraint.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.problems import Staircase
    >>> hinge = Staircase(np.ones(1), np.array([[0.0, 2.0]]), np.array([[-np.inf, 0.0, np.inf]]))
    >>> hinge.loss(np.array([0.25]))
    array([0.5])
    """

    target: Reals
    knots: Reals
    levels: Reals
    total: float = 0.0
    has_bias: bool = True

    def __post_init__(self) -> None:
        for name in ("target", "knots", "levels"):
            array = np.array(getattr(self, name), dtype=np.float64, order="C")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "total", float(self.total))
        object.__setattr__(self, "has_bias", bool(self.has_bias))
        n = self.target.shape[0]
        if self.target.ndim != 1 or self.knots.ndim != 2 or self.levels.ndim != 2:
            raise ValueError("A staircase needs target (n,), knots (n, m) and levels (n, m + 1).")
        if self.knots.shape[0] != n or self.levels.shape != (n, self.knots.shape[1] + 1):
            raise ValueError(
                f"Shapes do not fit: target {self.target.shape}, knots {self.knots.shape}, "
                f"levels {self.levels.shape}; expected (n,), (n, m), (n, m + 1)."
            )

    @classmethod
    def of_own(
        cls,
        target: Reals,
        knots: Reals,
        levels: Reals,
        total: float = 0.0,
        has_bias: bool = True,
        scales: tuple[float, float] | None = None,
    ) -> Staircase:
        """Return the staircase of arrays that were made for it: in C order, not copied, frozen.

        ``scales`` are the residual scale and the knot scale, if they are known; otherwise they are
        worked out when one of them is read.
        """
        target.setflags(write=False)
        knots.setflags(write=False)
        levels.setflags(write=False)
        stair = object.__new__(cls)
        known = stair.__dict__
        known["target"] = target
        known["knots"] = knots
        known["levels"] = levels
        known["total"] = total
        known["has_bias"] = has_bias
        if scales is not None:
            known["residual_scale"], known["knot_scale"] = scales
        return stair

    def __repr__(self) -> str:
        bias = f", total={self.total:.6g}" if self.has_bias else ", no bias"
        return f"<Staircase: {len(self)} rows, {self.n_knots} knots{bias}>"

    def __len__(self) -> int:
        return int(self.target.shape[0])

    @property
    def n_knots(self) -> int:
        """The number of knots of every staircase."""
        return int(self.knots.shape[1])

    def check(self) -> None:
        """Raise ``ValueError`` unless the numbers make staircases."""
        if not np.isfinite(self.target).all() or not np.isfinite(self.knots).all():
            raise ValueError("Targets and knots must be finite.")
        if np.isnan(self.levels).any() or not np.isfinite(self.levels[:, 1:-1]).all():
            raise ValueError("Inner levels must be finite.")
        if (np.diff(self.knots, axis=1) < 0).any():
            raise ValueError("The knots of a staircase must increase.")
        with np.errstate(invalid="ignore"):
            if (np.diff(self.levels, axis=1) < 0).any():
                raise ValueError("The levels of a staircase must increase.")

    def between(self, other: Staircase, theta: float, rest: float | None = None) -> Staircase:
        """Return the staircase at ``theta`` on the straight line from here to ``other``.

        Written as ``rest * start + theta * end``, so that both ends are met exactly; ``rest`` is
        ``1 - theta``, given where it has more digits than theta. What does not move is shared.
        """
        rest = 1.0 - theta if rest is None else rest
        target, levels = (
            start if np.array_equal(start, end) else mix(start, end, theta, rest)
            for start, end in ((self.target, other.target), (self.levels, other.levels))
        )
        return Staircase.of_own(
            target,
            mix(self.knots, other.knots, theta, rest),
            levels,
            rest * self.total + theta * other.total,
            self.has_bias,
        )

    def rows(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Staircase:
        """Return the staircases of the rows in ``index`` (the total is kept)."""
        return Staircase.of_own(
            np.ascontiguousarray(self.target[index]),
            np.ascontiguousarray(self.knots[index]),
            np.ascontiguousarray(self.levels[index]),
            self.total,
            self.has_bias,
        )

    def followed_by(self, more: Staircase) -> Staircase:
        """Return these staircases with others below them (the total is kept)."""
        residual_scale = max(self.residual_scale, more.residual_scale)
        return Staircase.of_own(
            np.concatenate([self.target, more.target]),
            np.concatenate([self.knots, more.knots]),
            np.concatenate([self.levels, more.levels]),
            self.total,
            self.has_bias,
            (residual_scale, max(self.knot_scale, more.knot_scale)),
        )

    def __getstate__(self) -> dict[str, Any]:
        # Without what was worked out from the numbers.
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def knot_scale(self) -> float:
        """The largest absolute knot; what is beyond ``FAR`` is no knot."""
        return self._read_scales()[1]

    @cached_property
    def residual_scale(self) -> float:
        """The largest absolute target or inner level.

        An outer level is a bound of the residual (a penalty of a coefficient without bounds), and
        one that no residual reaches has no effect, however large it is.
        """
        return self._read_scales()[0]

    def _read_scales(self) -> tuple[float, float]:
        """Work out both scales, in one pass, and keep them."""
        known = self.__dict__
        scales = largest_sizes(self.target, self.knots, self.levels, FAR)
        known["residual_scale"], known["knot_scale"] = scales
        return scales

    def bounds(self) -> tuple[Reals, Reals]:
        """Return the bounds of ``beta``: the outermost knots where the outer level is infinite."""
        below, above = np.isinf(self.levels[:, 0]), np.isinf(self.levels[:, -1])
        lower, upper = self.knots[:, 0], self.knots[:, -1]
        if below.all() and above.all():
            return lower, upper
        return np.where(below, lower, -np.inf), np.where(above, upper, np.inf)

    def residual_range(self, beta: Reals, slack: float = 0.0) -> tuple[Reals, Reals]:
        """Return the interval of residuals that each ``beta`` allows.

        A ``beta`` within ``slack`` of knots counts as being at all of them.
        """
        row = np.arange(len(self))
        below = (self.knots < (beta - slack)[:, None]).sum(axis=1)
        above = (self.knots <= (beta + slack)[:, None]).sum(axis=1)
        return self.levels[row, below], self.levels[row, above]

    def penalty(self, beta: ArrayLike) -> Reals:
        """Return ``h_i(beta_i)``, the integral of the staircase from 0 to ``beta_i``."""
        beta = np.asarray(beta, dtype=np.float64)
        edges = np.concatenate(
            [np.full((len(self), 1), -np.inf), self.knots, np.full((len(self), 1), np.inf)], axis=1
        )
        value = np.zeros(len(self))
        for q in range(self.levels.shape[1]):
            low, high = edges[:, q], edges[:, q + 1]
            width = np.clip(beta, low, high) - np.clip(0.0, low, high)
            level = self.levels[:, q]
            value += np.where(width == 0.0, 0.0, width * np.where(width == 0.0, 0.0, level))
        return value

    def loss(self, residual: ArrayLike) -> Reals:
        """Return ``h_i^*(r_i)``, the loss that the residual pays.

        The supremum of ``r b - h(b)`` is met at a knot, except that a residual beyond a finite
        outer level costs infinitely much.
        """
        residual = np.asarray(residual, dtype=np.float64)
        value = np.full(len(self), -np.inf)
        for j in range(self.n_knots):
            knot = self.knots[:, j]
            value = np.maximum(value, residual * knot - self.penalty(knot))
        beyond = (residual < self.levels[:, 0]) | (residual > self.levels[:, -1])
        return np.where(beyond, np.inf, value)


def mix(start: Reals, end: Reals, theta: float | Reals, rest: float | Reals | None = None) -> Reals:
    """Return ``rest * start + theta * end``; infinite entries stay as they are.

    ``rest`` is ``1 - theta``, given where it has more digits than theta.
    """
    rest = 1.0 - theta if rest is None else rest
    finite = np.isfinite(start)
    if finite.all():
        return rest * start + theta * end
    return np.where(
        finite,
        rest * np.where(finite, start, 0.0) + theta * np.where(finite, end, 0.0),
        start,
    )
