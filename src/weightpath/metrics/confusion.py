"""Metrics that are functions of the confusion matrix.

The confusion matrix of a classifier is piecewise constant along a path, and so is every function
of it: no approximation is needed for any of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.metrics.counts import count_at, curve_of_counts
from weightpath.metrics.metric import Metric
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.plane import PlaneCounts, least_at_corners, least_of_whole
from weightpath.metrics.validation import ValidationRows

__all__ = ["ConfusionMetric", "of_confusion"]


class ConfusionMetric(Metric):
    """A function of the confusion matrix; along a path it is a step function.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.metrics import ConfusionMetric
    >>> class Specificity(ConfusionMetric):
    ...     name, greater_is_better = "specificity", True
    ...
    ...     def of(self, confusion):
    ...         return confusion[..., 0, 0] / confusion[..., 0, :].sum(axis=-1)
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y).reweight(toy.w_new)
    >>> path.curve(toy.X, toy.y, Specificity()).best.value
    0.825
    """

    # Whether of all confusion matrices of two classes, with the numbers of both kinds of correct
    # predictions between limits, the best has each number at one of its limits: so it is for a
    # metric that gets no worse with a correct prediction more, and for a linear one.
    best_at_limits: bool = False

    @abstractmethod
    def of(self, confusion: NDArray[np.float64], *args: Any, **options: Any) -> NDArray[np.float64]:
        """Return the values at many confusion matrices at once.

        Parameters
        ----------
        confusion : ndarray of shape (n_matrices, n_classes, n_classes)
            Weights of rows: of class ``i``, predicted as class ``j``. Classes are in the order of
            ``path.classes``.
        **options
            The options of the metric.

        Returns
        -------
        ndarray of shape (n_matrices,)
            Finite.
        """

    def suits(self, outputs: Outputs) -> bool:
        """Return whether there are classes."""
        return outputs.classes is not None

    def along(self, path: DecisionPath, rows: ValidationRows, **options: Any) -> Curve:
        """Return the metric as a function of theta, of degree 0; see :class:`Metric`."""
        values = partial(self._checked, **options)
        return curve_of_counts(path, rows, rows.target, rows.outputs.n_classes, values)

    def at(self, values: NDArray[np.float64], rows: ValidationRows, **options: Any) -> float:
        """Return the metric at given decision values; see :class:`Metric`."""
        predicted = rows.outputs.predicted(values)
        confusion = count_at(rows, predicted, rows.target, rows.outputs.n_classes)
        return float(self._checked(confusion[None], **options)[0])

    def in_plane(self, rows: ValidationRows, **options: Any) -> PlaneCounts:
        """Return the metric as a function of counts; see :class:`Metric`."""
        total = np.bincount(rows.target, rows.weight, minlength=2)
        sign = -1.0 if self.greater_is_better else 1.0
        weights = np.unique(rows.weight[rows.weight > 0])
        unit = float(weights[0]) if len(weights) == 1 else 0.0

        def matrices(positive: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.stack((np.maximum(total - positive, 0.0), positive), axis=-1)

        def loss(positive: NDArray[np.float64]) -> NDArray[np.float64]:
            distinct, index = np.unique(positive, axis=0, return_inverse=True)
            return sign * self._checked(matrices(distinct), **options)[index.ravel()]

        def supposed(positive: NDArray[np.float64]) -> NDArray[np.float64]:
            # At matrices that need not occur, where a function may not be defined.
            try:
                with np.errstate(all="ignore"):
                    values = sign * np.asarray(self.of(matrices(positive), **options), dtype=float)
            except (ArithmeticError, ValueError):
                return np.full(len(positive), -np.inf)
            return np.where(np.isfinite(values), values, -np.inf)

        def least(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
            if self.best_at_limits:
                return least_at_corners(supposed, low, high)
            return least_of_whole(supposed, low, high, unit)

        return PlaneCounts(rows.target, rows.weight, loss, least)

    def _checked(self, confusion: NDArray[np.float64], **options: Any) -> NDArray[np.float64]:
        values = np.asarray(self.of(confusion, **options), dtype=float)
        if values.shape != (len(confusion),):
            raise ValueError(
                f"The metric {self.name!r} must give one value for each confusion matrix: "
                f"{len(confusion)} in all, got the shape {values.shape}."
            )
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            raise ValueError(
                f"The metric {self.name!r} is {values[wrong[0]]} for the confusion matrix "
                f"{confusion[wrong[0]].tolist()}: it must be a finite number for every matrix "
                "along the path. Decide what it is where it divides by zero."
            )
        return values


@final
class _FunctionMetric(ConfusionMetric):
    """A metric made by :func:`of_confusion`."""

    def __init__(
        self,
        function: Callable[[NDArray[np.float64]], float],
        name: str,
        label: str,
        greater_is_better: bool,
    ):
        self.function = function
        self.name, self.label = name, label
        self.greater_is_better = greater_is_better

    def of(self, confusion: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the function of each matrix."""
        return np.array([float(self.function(one)) for one in confusion])


def of_confusion(
    function: Callable[[NDArray[np.float64]], float],
    name: str | None = None,
    greater_is_better: bool = True,
    *,
    label: str = "",
) -> Metric:
    """Make an exact metric from any function of the confusion matrix.

    Parameters
    ----------
    function : callable
        From the confusion matrix, an array of shape (n_classes, n_classes), to a finite number.
        Entry ``[i, j]`` is the weight (without sample weights, the number) of the rows of class
        ``path.classes[i]`` that are predicted as ``path.classes[j]``.
    name : str, optional
        Of the metric; that of the function by default.
    greater_is_better : bool, default=True
        Whether it is a score rather than a loss.
    label : str, optional
        For the axis of a plot; the name by default.

    Returns
    -------
    Metric
        To be passed where a metric is asked for, or registered by
        :func:`~weightpath.metrics.register` and then asked for by name.

    Examples
    --------
    >>> import weightpath as wp
    >>> def jaccard(confusion):
    ...     hits = confusion[1, 1]
    ...     return hits / max(confusion.sum() - confusion[0, 0], 1e-300)
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y).reweight(toy.w_new)
    >>> path.curve(toy.X, toy.y, wp.metrics.of_confusion(jaccard)).metric
    'jaccard'
    """
    name = getattr(function, "__name__", "") if name is None else name
    if not name or name == "<lambda>":
        raise ValueError("A metric needs a name: of_confusion(function, name=...).")
    return _FunctionMetric(function, name, label, bool(greater_is_better))
