r"""Metrics that are sums of hinges of decision values.

On every segment decision values are linear in theta, so a hinge :math:`\max(0, a f + c)` of one of
them has one kink at most, and every convex piecewise linear loss is a sum of hinges.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.piecewise import Hinge, curve_of_hinges
from weightpath.metrics.metric import Metric
from weightpath.metrics.plane import PlaneHinges
from weightpath.metrics.validation import ValidationRows

__all__ = ["Hinge", "HingeMetric"]


class HingeMetric(Metric):
    """A loss that is a sum of hinges of decision values: along a path it is piecewise linear.

    Examples
    --------
    A forecast that is too low costs three times as much as one that is too high:

    >>> import weightpath as wp
    >>> from weightpath.metrics import Hinge, HingeMetric
    >>> class Shortage(HingeMetric):
    ...     name, label = "shortage", "mean cost of shortage and surplus"
    ...
    ...     def suits(self, outputs):
    ...         return outputs.classes is None and outputs.predicts
    ...
    ...     def hinges(self, rows):
    ...         too_low = Hinge(-1.0, rows.target, 3.0 * rows.share)
    ...         return [too_low, Hinge(1.0, -rows.target, rows.share)]
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.5, 2.0]
    >>> path = wp.SVR(kernel="linear").fit(X, y).reweight([1, 1, 0, 1])
    >>> path.curve(X, y, Shortage()).degree
    1
    """

    @abstractmethod
    def hinges(self, rows: ValidationRows, *args: Any, **options: Any) -> Sequence[Hinge]:
        """Return the hinges whose sum over all rows is the metric.

        Parameters
        ----------
        rows : ValidationRows
            Rows, labels and weights.
        **options
            The options of the metric.

        Returns
        -------
        sequence of Hinge
            ``Hinge(factor, offset, share)`` is the sum over all rows of
            ``share * max(0, factor * value + offset)``.
        """

    def along(self, path: DecisionPath, rows: ValidationRows, **options: Any) -> Curve:
        """Return the metric as a function of theta, of degree 1; see :class:`Metric`."""
        return curve_of_hinges(path, rows.X, self.hinges(rows, **options))

    def at(self, values: NDArray[np.float64], rows: ValidationRows, **options: Any) -> float:
        """Return the metric at given decision values; see :class:`Metric`."""
        return sum(hinge.total(values.ravel()) for hinge in self.hinges(rows, **options))

    def in_plane(self, rows: ValidationRows, **options: Any) -> PlaneHinges:
        """Return the same hinges; see :class:`Metric`."""
        return PlaneHinges(self.hinges(rows, **options), -1.0 if self.greater_is_better else 1.0)
