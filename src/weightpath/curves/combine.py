r"""Curves made of curves: weighted sums and means, and curves placed end to end.

Between two neighbouring edges of any of the curves all of them are polynomials, so a weighted sum
is a polynomial there, too: each is expanded about the new left edge,

.. math:: c_0 + c_1 t + c_2 t^2 = (c_0 + c_1 s + c_2 s^2) + (c_1 + 2 c_2 s)(t - s) + c_2 (t - s)^2 ,

and added. The only error is the rounding of single operations. At an isolated point of any of the
curves the sum has one, too, from the values of all of them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.curves.arithmetic import Arithmetic
from weightpath.curves.curve import Curve
from weightpath.curves.piecewise import merge
from weightpath.curves.points import distinct_points, with_points
from weightpath.curves.polynomials import about
from weightpath.curves.steps import without_rounding

__all__ = ["combination", "join_curves", "mean_curve"]

EPS = np.finfo(float).eps

# Two steps closer together than this, relative to the largest theta, are one: each edge is known
# up to a few units of rounding, so nothing can be told about an interval that short.
RESOLUTION = 8 * EPS


def mean_curve(curves: Sequence[Curve], weights: ArrayLike | None = None) -> Curve:
    r"""The mean of curves, exact at every theta.

    Parameters
    ----------
    curves : sequence of Curve
        On one domain, and all of them losses or all of them scores.
    weights : array-like of shape (n_curves,), optional
        Not negative; ones by default. The mean is :math:`\sum_k w_k v_k / \sum_k w_k`.

    Returns
    -------
    Curve
        With edges only where the mean changes. Values of a step function that differ only by the
        rounding of sums are equal to the last bit.

    Examples
    --------
    >>> from weightpath.curves import Curve, mean_curve
    >>> first = Curve([0.0, 0.5, 1.0], [[0.2], [0.1]], "zero_one")
    >>> second = Curve([0.0, 0.25, 1.0], [[0.0], [0.3]], "zero_one")
    >>> mean = mean_curve([first, second])
    >>> mean.edges, mean.values
    (array([0.  , 0.25, 0.5 , 1.  ]), array([0.1 , 0.25, 0.2 ]))
    """
    curves = _checked(curves)
    if weights is None:
        weight = np.ones(len(curves))
    else:
        weight = np.asarray(weights, dtype=float)
        if weight.shape != (len(curves),):
            raise ValueError(f"{len(curves)} curves need as many weights, got {weight.shape}.")
        if not np.isfinite(weight).all() or (weight < 0).any() or weight.sum() <= 0:
            raise ValueError("weights must be finite and not negative, and some must be positive.")
    return combination(curves, weight.tolist(), divisor=float(weight.sum()))


def combination(
    curves: Sequence[Arithmetic],
    factors: Sequence[float],
    offset: float = 0.0,
    divisor: float = 1.0,
    greater_is_better: bool | None = None,
) -> Curve:
    """A weighted sum of curves plus a number, all divided by another.

    Parameters
    ----------
    curves : sequence of Curve
        On one domain and of one direction.
    factors : sequence of float
        One for each curve.
    offset : float
        Added to the sum.
    divisor : float
        Divides the sum.
    greater_is_better : bool or None
        The direction of the result; that of the curves by default.

    Returns
    -------
    Curve
        With edges, and isolated points, only where it changes.
    """
    terms = _checked(curves)
    if not np.isfinite([*factors, offset, divisor]).all():
        raise ValueError("A curve can be multiplied, divided and moved by finite numbers only.")
    edges = np.unique(np.concatenate([curve.edges for curve in terms]))
    total = np.zeros((len(edges) - 1, 1 + max(curve.degree for curve in terms)))
    size = np.zeros(len(total))
    for curve, factor in zip(terms, factors, strict=True):
        piece = np.searchsorted(curve.edges, edges[:-1], side="right") - 1
        own = about(curve.coefficients[piece], edges[:-1] - curve.edges[piece])
        total[:, : curve.degree + 1] += float(factor) * own
        size += abs(float(factor)) * np.abs(own[:, 0])
    total[:, 0] += float(offset)
    total /= float(divisor)
    largest = (size.max() + abs(float(offset))) / abs(float(divisor))
    if greater_is_better is None:
        greater_is_better = terms[0].greater_is_better
    # Half a unit of rounding for each value, each sum and the quotient, of both that are compared.
    rounding = (len(terms) + 2) * EPS
    edges, total = _cleaned(edges, total, rounding * largest)
    curve = Curve(edges, total, _name(terms), greater_is_better)
    theta, points, sizes = _point_sums(terms, factors, float(offset), float(divisor))
    return with_points(curve, theta, points, rounding * np.maximum(sizes, largest))


def _point_sums(
    curves: Sequence[Curve], factors: Sequence[float], offset: float, divisor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Theta of the isolated points of all curves, the result there, and the size of its terms."""
    theta = np.unique(np.concatenate([curve.point_theta for curve in curves]))
    total, size = np.zeros(len(theta)), np.zeros(len(theta))
    if theta.size:
        for curve, factor in zip(curves, factors, strict=True):
            own = float(factor) * curve(theta)
            total += own
            size += np.abs(own)
    return theta, (total + offset) / divisor, (size + abs(offset)) / abs(divisor)


def join_curves(curves: Sequence[Curve]) -> Curve:
    """Curves end to end: each begins where the one before it ends.

    Curves on [0, 1], the legs of a walk from one set of weights to the next and on, become one
    curve on [0, m], on which leg j reaches from j to j + 1.

    Parameters
    ----------
    curves : sequence of Curve
        In their order; all of them losses or all of them scores.

    Returns
    -------
    Curve
        It begins where the first of them does. Where two meet it has the value of the second,
        also if the first ends with an isolated point.

    Examples
    --------
    >>> from weightpath.curves import Curve, join_curves
    >>> legs = [Curve([0.0, 0.5, 1.0], [[0.2], [0.1]]), Curve([0.0, 0.75, 1.0], [[0.1], [0.3]])]
    >>> join_curves(legs).edges
    array([0.  , 0.5 , 1.75, 2.  ])
    """
    curves = _checked(curves, same_domain=False)
    degree = max(curve.degree for curve in curves)
    edges, rows = [curves[0].edges[:1]], []
    thetas, values = [], []
    for number, curve in enumerate(curves, start=1):
        begin = edges[-1][-1]
        moved = curve.shifted(begin - curve.edges[0])
        theta, own = _moved_points(moved, begin, last=number == len(curves))
        thetas.append(theta)
        values.append(own)
        edges.append(moved.edges[1:])
        rows.append(np.pad(moved.coefficients, ((0, 0), (0, degree - moved.degree))))
    coefficients = np.concatenate(rows)
    # The values of a leg are sums over all of its steps.
    tolerance = len(coefficients) * EPS * np.abs(coefficients[:, 0]).max()
    places, coefficients = _cleaned(np.concatenate(edges), coefficients, tolerance)
    joined = Curve(places, coefficients, _name(curves), curves[0].greater_is_better)
    return with_points(joined, np.concatenate(thetas), np.concatenate(values), tolerance)


def _moved_points(
    curve: Curve, begin: float, last: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of a curve that was moved to ``begin``, without its end unless it is the last."""
    theta, values = curve.point_theta, curve.point_values
    # Rounding may have moved the start of the curve a little beside the end of the one before.
    theta = np.where(theta == curve.edges[0], begin, np.maximum(theta, begin))
    kept = np.full(len(theta), True) if last else theta < curve.edges[-1]
    return distinct_points(theta[kept], values[kept])


def _checked(curves: Iterable[object], same_domain: bool = True) -> list[Curve]:
    given = list(curves)
    if not given:
        raise ValueError("At least one curve is needed.")
    wrong = [curve for curve in given if not isinstance(curve, Curve)]
    if wrong:
        kind = "a number" if isinstance(wrong[0], Real) else type(wrong[0]).__name__
        raise TypeError(f"Only curves can be combined, got {kind}.")
    checked = [curve for curve in given if isinstance(curve, Curve)]
    first = checked[0]
    for curve in checked[1:]:
        if curve.greater_is_better != first.greater_is_better:
            raise ValueError(
                f"{curve!r} and {first!r} differ in direction: of one a greater value is better, "
                "of the other a smaller one. Turn a score into a loss first, as 1 - curve."
            )
        if same_domain and (curve.edges[0] != first.edges[0] or curve.edges[-1] != first.edges[-1]):
            raise ValueError(
                f"{curve!r} and {first!r} are on different domains. A path that was stopped ends "
                "before 1: raise max_events, or restrict the curves by curve.restricted."
            )
    return checked


def _name(curves: Sequence[Curve]) -> str:
    return " and ".join(dict.fromkeys(curve.metric for curve in curves if curve.metric))


def _cleaned(
    edges: NDArray[np.float64], coefficients: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join neighbours that are one polynomial up to rounding."""
    while coefficients.shape[1] > 1 and not coefficients[:, -1].any():
        coefficients = coefficients[:, :-1]
    if coefficients.shape[1] > 1:
        return merge(edges, coefficients, tolerance)
    # The value that counts is that after the last of the steps at one theta.
    lasting = np.diff(edges) > RESOLUTION * np.abs(edges).max()
    if not lasting.any():
        lasting[-1] = True
    kept = np.flatnonzero(lasting)
    places = np.append(edges[kept], edges[-1])
    places[0] = edges[0]
    level = without_rounding(coefficients[kept, 0], tolerance)
    fresh = np.append(True, np.diff(level) != 0)
    return np.append(places[:-1][fresh], places[-1]), level[fresh, None]
