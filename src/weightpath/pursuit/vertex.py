r"""Vertices of basis pursuit, and pivots from one to the next.

The problem is :math:`\min \sum_j c_j |z_j|` subject to :math:`G z = h`, with independent rows. A
*vertex* has a basis :math:`B`; all other coefficients are zero, and each member has a sign
:math:`s_i`, that of its coefficient or, where that is zero, either. Every basis has such a vertex,
so no first phase is needed. With the dual vector :math:`u` of :math:`g_i'u = s_i c_i` on the basis
it is optimal if :math:`|g_j'u| \le c_j` for all columns.

A column that violates this enters: along the edge :math:`z_B - t\,\tau B^{-1}g_j` the cost falls
at the rate of the violation, less :math:`2 c_i |B^{-1}g_j|_i` for each member whose coefficient has
passed zero, and the member at which it would rise leaves (as in the method of Barrodale and Roberts
for the dual problem, least absolute deviations).

The cost may be a pair: *cost* plus an infinitely small multiple of *rate*. An optimal vertex of the
pair stays optimal for some way when the cost moves at that rate.

References
----------
I. Barrodale, F. D. K. Roberts, "An improved algorithm for discrete l1 linear approximation", SIAM
Journal on Numerical Analysis 10, 1973.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.pursuit.basis import Basis, first_members
from weightpath.pursuit.system import Equations

__all__ = ["Prices", "Reach", "StalledError", "Vertex"]

Reals = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)

# Pivots without progress, besides twice the number of rows, before a tie is broken at random.
_MOST_STILL = 30

# How often it is broken before the search is given up, and the size of the random changes of
# coefficients, relative to the largest. A vertex found with them is optimal without them, or is
# pivoted on from.
_SHAKES = 6
_SHAKE = 1e-6

# Each time, a violation must be this many times larger to count: bases of different condition do
# not agree about what is rounding, and could send each other back for ever.
_LENIENCE = 8.0

# Pivots for each row and column before the search is given up.
_MOST_PIVOTS = 40


# A member leaves only if its pivot is this many times what it may be by rounding.
_SURE = 64.0

# A column that was no reason for a pivot is one when its violation is this many roundings.
_BARRED_NOISE = 4.0


class StalledError(ArithmeticError):
    """The pivots did not end."""


@dataclass(frozen=True, eq=False)
class Prices:
    """The dual vector of a basis for some cost, and what it is worth on all columns.

    Attributes
    ----------
    dual : ndarray of shape (r,)
        The dual vector ``u``.
    value : ndarray of shape (n,)
        ``G'u``.
    noise : ndarray of shape (n,)
        How far roundings may have moved the values.
    """

    dual: Reals
    value: Reals
    noise: Reals


class Reach(NamedTuple):
    """For how long a vertex stays optimal.

    Attributes
    ----------
    step, rounding : float
        The time, and how far roundings may have moved it.
    column : int
        The column that meets its cost then.
    sign : float
        The sign with which it does.
    """

    step: float
    rounding: float
    column: int = -1
    sign: float = 1.0


class Vertex:
    """A vertex of the solutions of ``G z = h``, which pivots to others.

    Parameters
    ----------
    equations : Equations
        ``G`` and ``h``, with independent rows.
    preferred : ndarray of int or None, default=None
        Columns for the first basis.
    """

    def __init__(self, equations: Equations, preferred: NDArray[np.intp] | None = None) -> None:
        matrix = equations.matrix
        members = first_members(matrix, preferred)
        self.basis = Basis(matrix, members, equations.matrix_noise)
        self.target, self._noise = equations.target, equations.noise
        self.sign = np.ones(len(self.target))
        self._size = np.abs(matrix)
        self._place()

    def copy(self) -> Vertex:
        """Return a vertex that can be moved without moving this one."""
        other = object.__new__(Vertex)
        other.__dict__.update(self.__dict__)
        other.basis, other.sign = self.basis.copy(), self.sign.copy()
        return other

    @property
    def members(self) -> NDArray[np.intp]:
        """The columns in the basis."""
        return self.basis.members

    @property
    def coefficients(self) -> Reals:
        """The coefficients of all columns."""
        z = np.zeros(self.basis.matrix.shape[1])
        z[self.members] = self.member_coefficients
        return z

    def prices(self, cost: Reals) -> Prices:
        """Return the dual vector of this basis for a cost."""
        dual, bound = self.basis.solve_transposed(self.sign * cost[self.members])
        value = dual @ self.basis.matrix
        noise = bound @ self._size + 4 * _EPS * np.abs(cost)
        if self.basis.noise is not None:
            noise = noise + np.abs(dual) @ self.basis.noise
        return Prices(dual, value, noise)

    def reach(self, cost: Reals, rate: Reals) -> Reach:
        """Return for how long the vertex stays optimal while the cost moves at a rate."""
        least = Reach(np.inf, 0.0)
        if not len(self.target):
            return least
        prices, slope = self.prices(cost), self.prices(rate)
        for sign in (-1.0, 1.0):
            slack = cost - sign * prices.value
            # What is at its limit by rounding has been found to be no reason for a pivot.
            slack = np.where(slack > prices.noise, slack, slack + _BARRED_NOISE * prices.noise)
            speed = sign * slope.value - rate
            speed[self.members] = 0.0
            falls = np.flatnonzero(speed > slope.noise)
            if falls.size:
                steps = np.maximum(slack[falls], 0.0) / speed[falls]
                j = int(falls[np.argmin(steps)])
                rounding = (prices.noise[j] + steps.min() * slope.noise[j]) / speed[j]
                least = min(least, Reach(float(steps.min()), float(rounding), j, sign))
        return least

    def time_to_meet(self, cost: Reals, rate: Reals, column: int, sign: float) -> float:
        """Return when a column meets its cost, from here; negative if it has met it before."""
        value, speed = (self.prices(moving).value[column] for moving in (cost, rate))
        return float((cost[column] - sign * value) / (sign * speed - rate[column]))

    def optimise(self, cost: Reals, rate: Reals | None = None) -> list[tuple[int, int]]:
        """Pivot until the vertex is optimal for a cost, and for its rate among equals.

        Returns
        -------
        list of (int, int)
            For each pivot the column that entered and the one that left.
        """
        exchanges: list[tuple[int, int]] = []
        if not len(self.target):
            return exchanges
        for slope in (None,) if rate is None else (None, rate):
            self._optimise(cost, slope, exchanges)
        return exchanges

    def _optimise(self, cost: Reals, rate: Reals | None, exchanges: list[tuple[int, int]]) -> None:
        given, random = self.target, np.random.default_rng(0)
        try:
            for attempt in range(_SHAKES):
                self._lenience = _LENIENCE ** (attempt + (rate is not None))
                if self._pivot(cost, rate, exchanges):
                    return
                # Ties are broken where no coefficient of the basis is zero.
                self._shake(random)
                self._pivot(cost, rate, exchanges)
                self.target = given
                self._place()
        except np.linalg.LinAlgError as error:
            raise StalledError from error
        finally:
            self.target = given
        raise StalledError

    def _pivot(self, cost: Reals, rate: Reals | None, exchanges: list[tuple[int, int]]) -> bool:
        """Pivot until the vertex is optimal; return whether it is, or ties have stopped it."""
        r, n = self.basis.matrix.shape
        best, still = np.inf, 0
        self._barred: list[int] = []
        for _ in range(_MOST_PIVOTS * (r + n + 1)):
            found = self._entering(cost, rate)
            if found is None:
                return True
            left = self._enter(*found, cost, rate)
            if left is None:
                # No edge: a violation by rounding.
                self._barred.append(found[0])
                continue
            self._barred = []
            exchanges.append((found[0], left))
            now = self._worth(cost, rate)
            still = 0 if now < best else still + 1
            best = min(best, now)
            if still > _MOST_STILL + 2 * r:
                return False
        return False

    def _worth(self, cost: Reals, rate: Reals | None) -> float:
        """Return the cost of the vertex, or its rate where only that is lowered."""
        chosen = cost if rate is None else rate
        return float(np.abs(self.member_coefficients) @ chosen[self.members])

    def _entering(self, cost: Reals, rate: Reals | None) -> tuple[int, float, float] | None:
        """Return a column that lowers the cost, the sign it enters with, and how fast it does."""
        prices = self.prices(cost)
        excess = np.abs(prices.value) - cost
        excess[self.members] = -np.inf
        excess[self._barred] = -np.inf
        beyond = excess - self._lenience * prices.noise
        j = int(np.argmax(beyond))
        if beyond[j] > 0:
            return j, float(np.sign(prices.value[j])), float(excess[j])
        tied = excess >= -prices.noise
        if rate is None or not tied.any():
            return None
        slope = self.prices(rate)
        sign = np.sign(np.where(np.abs(prices.value) > prices.noise, prices.value, slope.value))
        faster = sign * slope.value - rate
        beyond = np.where(tied, faster - slope.noise, -np.inf)
        j = int(np.argmax(beyond))
        return (j, float(sign[j]), float(faster[j])) if beyond[j] > 0 else None

    def _enter(
        self, j: int, sign: float, speed: float, cost: Reals, rate: Reals | None
    ) -> int | None:
        """Let a column enter; return the column that left, ``None`` if there was no edge."""
        image, bound = self.basis.solve_column(j)
        fall = sign * image * self.sign
        falling = np.flatnonzero(fall > _SURE * bound)
        size, fall = np.abs(self.member_coefficients[falling]), fall[falling]
        # Of members that reach zero together, large pivots first.
        order = np.lexsort((-fall, size / fall))
        rises = cost[self.members[falling]]
        if rate is not None:
            # A cost is more than any rate.
            rises = np.where(rises > 0, np.inf, rate[self.members[falling]])
        risen = np.cumsum(2.0 * (rises * fall)[order]) >= speed
        if not risen.any():
            return None
        last = int(np.argmax(risen))
        passed, position = falling[order[:last]], int(falling[order[last]])
        left = int(self.members[position])
        self.sign[passed] *= -1.0
        self.sign[position] = sign
        self.basis.exchange(position, j, image)
        self._place()
        return left

    def _place(self) -> None:
        """Compute the coefficients of the members; what may be rounding is zero."""
        z, bound = self.basis.solve(self.target, self._noise)
        z[np.abs(z) <= bound] = 0.0
        self.sign = np.where(z == 0.0, self.sign, np.sign(z))
        self.member_coefficients = z

    def _shake(self, random: np.random.Generator) -> None:
        """Change the target so that no coefficient of the basis is zero."""
        z = self.member_coefficients
        change = _SHAKE * (np.abs(z).max(initial=0.0) or 1.0) * random.uniform(0.5, 1.0, len(z))
        self.target = self.target + self.basis.matrix[:, self.members] @ (self.sign * change)
        self._place()
