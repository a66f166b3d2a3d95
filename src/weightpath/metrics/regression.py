r"""Mean losses of regression, functions of the errors :math:`e_i = y_i - f(x_i)`.

==========================  =====================================================================
"squared"                   :math:`e^2`, as :func:`sklearn.metrics.mean_squared_error`
"absolute"                  :math:`|e|`, as :func:`sklearn.metrics.mean_absolute_error`
"epsilon_insensitive"       :math:`\max(0, |e| - \epsilon)`
"pinball"                   :math:`\tau \max(0, e) + (1 - \tau) \max(0, -e)`, as
                            :func:`sklearn.metrics.mean_pinball_loss` with ``alpha`` = tau
==========================  =====================================================================

Errors are linear in theta on every segment. So the mean square is one parabola per segment, and
the others are sums of hinges :math:`\max(0, e - \epsilon)` and :math:`\max(0, -e - \epsilon)` with
kinks where :math:`|e| = \epsilon`.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.piecewise import merge
from weightpath.curves.sign_changes import pieces
from weightpath.metrics.losses import Hinge, HingeMetric
from weightpath.metrics.metric import Metric, Option
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.plane import PlaneSquares
from weightpath.metrics.registry import built_in
from weightpath.metrics.validation import ValidationRows

__all__ = ["Absolute", "EpsilonInsensitive", "Pinball", "Squared"]


def _is_regression(outputs: Outputs) -> bool:
    return outputs.classes is None and outputs.predicts


@final
@built_in
class Squared(Metric):
    """The weighted mean of the squared errors, of degree 2."""

    name = "squared"
    label = "mean squared error"

    def suits(self, outputs: Outputs) -> bool:
        """Return whether values predict y."""
        return _is_regression(outputs)

    def along(self, path: DecisionPath, rows: ValidationRows) -> Curve:
        """Return one parabola for each segment; see :class:`Metric`."""
        share = rows.share
        starts, parabolas = [], []
        for left, _, F, F_slope in pieces(path.iter_segments(rows.X)):
            error = rows.target - F
            constant, quadratic = np.square(error) @ share, np.square(F_slope) @ share
            error *= F_slope
            starts.append(left)
            parabolas.append(np.column_stack((constant, -2.0 * (error @ share), quadratic)))
        edges = np.append(np.concatenate(starts), path.theta[-1])
        return Curve(*merge(edges, np.concatenate(parabolas)))

    def at(self, values: NDArray[np.float64], rows: ValidationRows) -> float:
        """Return the mean at given predictions; see :class:`Metric`."""
        return float(rows.share @ np.square(rows.target - values.ravel()))

    def in_plane(self, rows: ValidationRows) -> PlaneSquares:
        """Return the same squares; see :class:`Metric`."""
        return PlaneSquares(rows.target, rows.share)


@final
@built_in
class Absolute(HingeMetric):
    """The weighted mean of the absolute errors."""

    name = "absolute"
    label = "mean absolute error"

    def suits(self, outputs: Outputs) -> bool:
        """Return whether values predict y."""
        return _is_regression(outputs)

    def hinges(self, rows: ValidationRows) -> list[Hinge]:
        """Return the two sides of the error."""
        return _two_sides(rows)


def _loss_parameter(
    name: str, largest: float, default: float | None
) -> Callable[[Any, ValidationRows, str], float]:
    """Return the check of a number in a loss: given by the caller, or known from the model."""

    def check(value: Any, rows: ValidationRows, metric: str) -> float:
        if value is None:
            value = _known(rows.outputs, metric, name)
        if value is None:
            value = default
        if value is None:
            raise ValueError(
                f"The metric {metric!r} needs {name}=: the {rows.outputs.owner} does not tell it."
            )
        number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
        if not number or not np.isfinite(value) or not 0 <= value <= largest:
            span = "finite and not negative" if largest == np.inf else f"from 0 to {largest:g}"
            raise ValueError(f"{name} must be one number, {span}; got {value!r}.")
        return float(value)

    return check


def _known(outputs: Outputs, metric: str, name: str) -> float | None:
    """The value at which the model was trained, if it is the same all along the path."""
    values = np.unique(np.concatenate([np.empty(0), *outputs.told(name)]))
    if values.size > 1:
        raise ValueError(
            f"The metric {metric!r} needs {name}=: on this {outputs.owner} it takes several "
            f"values, from {values[0]:.6g} to {values[-1]:.6g}."
        )
    return float(values[0]) if values.size else None


@final
@built_in
class EpsilonInsensitive(HingeMetric):
    """The weighted mean of what absolute errors exceed ``epsilon`` by."""

    name = "epsilon_insensitive"
    label = "mean ε-insensitive loss"
    options = (
        Option(
            "epsilon",
            "Errors up to this cost nothing; that of the model by default.",
            _loss_parameter("epsilon", np.inf, None),
        ),
    )

    def suits(self, outputs: Outputs) -> bool:
        """Return whether values predict y."""
        return _is_regression(outputs)

    def hinges(self, rows: ValidationRows, *, epsilon: float) -> list[Hinge]:
        """Return the two sides of the error beyond the tube."""
        return _two_sides(rows, epsilon=epsilon)


@final
@built_in
class Pinball(HingeMetric):
    """The weighted mean pinball loss; 0.5 is the quantile where the model has none."""

    name = "pinball"
    label = "mean pinball loss"
    options = (
        Option(
            "quantile",
            "The quantile of the loss; that of the model by default.",
            _loss_parameter("quantile", 1.0, 0.5),
        ),
    )

    def suits(self, outputs: Outputs) -> bool:
        """Return whether values predict y."""
        return _is_regression(outputs)

    def hinges(self, rows: ValidationRows, *, quantile: float) -> list[Hinge]:
        """Return the two sides of the error, each with its cost."""
        return _two_sides(rows, above=quantile, below=1.0 - quantile)


def _two_sides(
    rows: ValidationRows, above: float = 1.0, below: float = 1.0, epsilon: float = 0.0
) -> list[Hinge]:
    """Hinges of targets above and below the prediction, with the cost of each."""
    return [
        Hinge(-1.0, rows.target - epsilon, above * rows.share),
        Hinge(1.0, -rows.target - epsilon, below * rows.share),
    ]
