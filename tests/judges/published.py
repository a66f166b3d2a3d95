r"""Two degenerate examples known from the literature on regularisation paths, with breakpoints.

Linear kernel, all :math:`C_i = C`, and :math:`\lambda = 1/C` as in Hastie et al. (2004), who write
:math:`f(x) = \lambda^{-1}(\sum_j \alpha_j y_j x_j'x + \alpha_0)` with :math:`0 \le \alpha_j \le 1`.
Their multipliers are :math:`\lambda` times the usual ones, :math:`\alpha_j = \lambda \alpha^*_j`,
so

* their :math:`\alpha, \lambda w, \lambda b` are piecewise linear in :math:`\lambda`;
* the usual :math:`\alpha^*, w, b` are piecewise linear in :math:`C = 1/\lambda` (since
  :math:`(c_0 + c_1\lambda)/\lambda = c_0 C + c_1`), with **the same breakpoints**.

A path on which every weight goes from ``1/20`` to ``1`` visits
:math:`C(\theta) = 1/20 + 19\theta/20`, and a breakpoint at ``theta`` belongs to
:math:`\lambda = 1/C(\theta)`.

What happens, proved in exact arithmetic by :mod:`judges.enumeration` (``w`` is unique, so these are
facts about the problem and not about a solver; ``laws`` below lists ``w`` between the breakpoints):

``DUPLICATE`` (a point given twice)
    * :math:`\lambda > 7.015 = 1403/200`: all six inside, :math:`w = -C (3.45, 5.05)`. Both classes
      have three members, so no point is on the margin and :math:`b` may be anything in
      :math:`[-1 + 17.96 C,\; 1 + 3.93 C]`, with the middle :math:`10.945 C`. The interval closes at
      :math:`2 = 14.03 C`. So **the first event is where points leave the all-inside state**, and
      two leave together: (0.7, 0.3) and (1.4, 2.6).
    * down to :math:`4.125 = 33/8`: these two on the margin with equal multipliers, which reach 0 at
      4.125, exactly where both copies of (0.5, 0.5) and (2, 2) arrive on the margin: a tie of five.
    * down to :math:`1.875 = 15/8`: :math:`w = (-2/3, -2/3)` and :math:`b = 5/3` stand still while
      multipliers move: only the sum of the two copies' multipliers is determined.
    * down to :math:`1.5625 = 25/16`: :math:`w = -1.25 C (1, 1)`, :math:`b = 1 + 1.25 C`; only
      (0.5, 0.5) is on the margin, and the multipliers of its two copies sum to :math:`C`. A basic
      solution has one copy outside and one inside, both with residual 0, and nobody free.
    * below: :math:`w = (-0.8, -0.8)`, :math:`b = 1.8`, the hard margin solution; nothing moves any
      more.

``DEPENDENT`` (four points on one line, no duplicates)
    * :math:`\lambda > 7.44 = 186/25`: all six inside, :math:`w = -C (2.8, 5.2)`,
      :math:`b \in [-1 + 18.4 C,\; 1 + 3.52 C]` with the middle :math:`10.96 C`. Again the first
      event ends the all-inside state, and again two points leave together: (0.7, 0.3) and (1, 3).
    * down to :math:`3.75 = 15/4`: these two on the margin until their multipliers reach 0 together,
      where (0.5, 0.5) and (2, 2) arrive: a tie of four.
    * down to :math:`1.5 = 3/2`: :math:`w = (-2/3, -2/3)`, :math:`b = 5/3` stand still.
    * down to 1: :math:`w = -C (1, 1)` with *no* point on the margin;
      :math:`b \in [\max(1 + C, -1 + 3.5 C),\; \min(1 + 1.5 C, -1 + 4 C)]`, a rhombus that opens at
      1.5, is widest at 1.25 and closes at 1; its middle is :math:`2.5 C`.
    * below: :math:`w = (-1, -1)`, :math:`b = 2.5`.

    The literature lists 7.44 and 3.75; 1.5 and 1 follow from the same problem.

How to test a path in ``C`` against them: compare the places where the slope of ``w`` (or of
``K beta``) changes, not the breakpoints of the coefficients or of ``b``. Where a dual solution or
``b`` is not unique, a correct path may have more breakpoints, but ``w`` has these and no others.
The numbers 0.7, 0.3, 1.4 and 2.6 are not binary fractions, so on floats the ties hold to rounding
only, and the breakpoints to about 1e-14.

References
----------
T. Hastie, S. Rosset, R. Tibshirani, J. Zhu. The entire regularization path for the support vector
machine. Journal of Machine Learning Research 5 (2004), 1391-1415.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

__all__ = ["DEPENDENT", "DUPLICATE", "PublishedPath"]


@dataclass(frozen=True)
class PublishedPath:
    """A small data set and where its path in ``C`` bends.

    Attributes
    ----------
    points : tuple of pairs of str
        The inputs as decimals, the three positive ones first.
    published : tuple of Fraction
        The breakpoints in ``lambda`` that are published.
    breakpoints : tuple of Fraction
        All breakpoints of ``w`` in ``lambda``, decreasing.
    laws : tuple
        For each stretch of ``lambda``, from large to small, ``w = u + C v`` as the pair ``(u, v)``.
    """

    points: tuple
    published: tuple
    breakpoints: tuple
    laws: tuple

    @property
    def X(self) -> np.ndarray:  # noqa: N802
        """The inputs as floats."""
        return np.array(self.points, dtype=float)

    @property
    def y(self) -> np.ndarray:
        """The labels."""
        return np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])

    def exact_kernel(self) -> list:
        """Return the linear kernel matrix in fractions."""
        rows = [[Fraction(v) for v in point] for point in self.points]
        return [[a[0] * b[0] + a[1] * b[1] for b in rows] for a in rows]

    def weight_vector(self, lam) -> list:
        """Return ``w`` at ``lambda``, exactly for an exact ``lam``."""
        stretch = sum(lam < bend for bend in self.breakpoints)
        fixed, slope = self.laws[stretch]
        return [
            Fraction(u) + Fraction(v) / Fraction(lam) for u, v in zip(fixed, slope, strict=True)
        ]


def bends(*decimals) -> tuple:
    """Return decimals as fractions."""
    return tuple(Fraction(d) for d in decimals)


def pairs(text) -> tuple:
    """Return the decimals of ``text`` two by two."""
    words = text.split()
    return tuple(zip(words[::2], words[1::2], strict=True))


STILL = (0, 0)

DUPLICATE = PublishedPath(
    points=pairs("0.7 0.3  0.5 0.5  0.5 0.5  2 2  1.4 2.6  1.75 1.75"),
    published=bends("7.015", "4.125", "1.875", "1.5625"),
    breakpoints=bends("7.015", "4.125", "1.875", "1.5625"),
    laws=(
        (STILL, ("-3.45", "-5.05")),
        ((Fraction(-70, 289), Fraction(-230, 289)), (Fraction(-506, 289), Fraction(154, 289))),
        ((Fraction(-2, 3), Fraction(-2, 3)), STILL),
        (STILL, ("-1.25", "-1.25")),
        (("-0.8", "-0.8"), STILL),
    ),
)

DEPENDENT = PublishedPath(
    points=pairs("0.7 0.3  0.5 0.5  0.75 0.75  2 2  1 3  1.75 1.75"),
    published=bends("7.44", "3.75"),
    breakpoints=bends("7.44", "3.75", "1.5", "1"),
    laws=(
        (STILL, ("-2.8", "-5.2")),
        ((Fraction(-10, 123), Fraction(-30, 41)), (Fraction(-90, 41), Fraction(10, 41))),
        ((Fraction(-2, 3), Fraction(-2, 3)), STILL),
        (STILL, ("-1", "-1")),
        (("-1", "-1"), STILL),
    ),
)
