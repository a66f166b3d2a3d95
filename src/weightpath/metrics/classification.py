r"""Metrics of classifiers.

==================  =========================================================================
"zero_one"          share of the rows that are predicted wrongly (with costs as sample weights)
"hinge"             mean of :math:`\max(0, 1 - y f)`, as :func:`sklearn.metrics.hinge_loss`
"accuracy"          share of the rows that are predicted correctly
"balanced_accuracy" mean over the classes among the true labels of the share predicted correctly
"precision"         share of the correct among the rows predicted as a class
"recall"            share of the rows of a class that are predicted as it
"f1"                harmonic mean of the two
"matthews"          correlation of true and predicted classes
"cost"              mean of ``cost_matrix[true class, predicted class]``
==================  =========================================================================

All but "hinge" are functions of the confusion matrix and defined for two classes and for more.
Precision, recall and f1 are those of the second class where there are two, and otherwise the mean
over all classes that occur among the true or the predicted labels (``average="macro"`` in
scikit-learn). A quotient whose denominator is zero counts as zero, as in scikit-learn. A row
without weight has no influence.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.confusion import ConfusionMetric
from weightpath.metrics.losses import Hinge, HingeMetric
from weightpath.metrics.metric import MissingOptionError, Option
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.registry import built_in
from weightpath.metrics.validation import ValidationRows

__all__ = [
    "F1",
    "Accuracy",
    "BalancedAccuracy",
    "Cost",
    "HingeLoss",
    "Matthews",
    "Precision",
    "Recall",
    "ZeroOne",
]

Floats = NDArray[np.float64]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; zero where the denominator is."""
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, 0.0, numerator / safe)


def _hits(confusion: Floats) -> Floats:
    return np.diagonal(confusion, axis1=-2, axis2=-1)


def _total(confusion: Floats) -> Floats:
    return np.asarray(confusion.sum(axis=(-2, -1)))


def _over_classes(value: Floats, confusion: Floats) -> Floats:
    """The value of the second of two classes; of more the mean over those that occur."""
    if value.shape[-1] == 2:
        return np.asarray(value[..., 1])
    occurs = (confusion.sum(axis=-1) > 0) | (confusion.sum(axis=-2) > 0)
    return ratio(np.where(occurs, value, 0.0).sum(axis=-1), occurs.sum(axis=-1).astype(float))


@final
@built_in
class ZeroOne(ConfusionMetric):
    """The weighted share of wrong predictions."""

    name = "zero_one"
    best_at_limits = True
    label = "misclassification rate"

    def of(self, confusion: Floats) -> Floats:
        """Return what is off the diagonal, over everything."""
        wrong = confusion * (1.0 - np.eye(confusion.shape[-1]))
        return ratio(_total(wrong), _total(confusion))


@final
@built_in
class HingeLoss(HingeMetric):
    """The weighted mean hinge loss, of two classes."""

    name = "hinge"
    label = "mean hinge loss"

    def suits(self, outputs: Outputs) -> bool:
        """Return whether there are two classes."""
        return outputs.classes is not None and outputs.pairs is None

    def hinges(self, rows: ValidationRows) -> list[Hinge]:
        """Return the one hinge."""
        return [Hinge(np.where(rows.target == 1, -1.0, 1.0), 1.0, rows.share)]


@final
@built_in
class Accuracy(ConfusionMetric):
    """The weighted share of correct predictions; see :func:`sklearn.metrics.accuracy_score`."""

    name = "accuracy"
    best_at_limits = True
    label = "accuracy score"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return the diagonal over everything."""
        return ratio(_hits(confusion).sum(axis=-1), _total(confusion))


@final
@built_in
class BalancedAccuracy(ConfusionMetric):
    """The mean recall; see :func:`sklearn.metrics.balanced_accuracy_score`."""

    name = "balanced_accuracy"
    best_at_limits = True
    label = "balanced accuracy"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return the mean over the classes among the true labels."""
        true = confusion.sum(axis=-1)
        recall = ratio(_hits(confusion), true)
        return ratio(recall.sum(axis=-1), (true > 0).sum(axis=-1).astype(float))


@final
@built_in
class Precision(ConfusionMetric):
    """See :func:`sklearn.metrics.precision_score`; the macro average of more than two classes."""

    name = "precision"
    best_at_limits = True
    label = "precision score"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return the diagonal over the sums of columns."""
        return _over_classes(ratio(_hits(confusion), confusion.sum(axis=-2)), confusion)


@final
@built_in
class Recall(ConfusionMetric):
    """See :func:`sklearn.metrics.recall_score`; the macro average of more than two classes."""

    name = "recall"
    best_at_limits = True
    label = "recall score"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return the diagonal over the sums of rows."""
        return _over_classes(ratio(_hits(confusion), confusion.sum(axis=-1)), confusion)


@final
@built_in
class F1(ConfusionMetric):
    """See :func:`sklearn.metrics.f1_score`; the macro average of more than two classes."""

    name = "f1"
    best_at_limits = True
    label = "F1 score"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return twice the diagonal over the sums of rows and columns."""
        both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
        return _over_classes(ratio(2.0 * _hits(confusion), both), confusion)


@final
@built_in
class Matthews(ConfusionMetric):
    """The correlation coefficient; see :func:`sklearn.metrics.matthews_corrcoef`."""

    name = "matthews"
    best_at_limits = True
    label = "Matthews correlation coefficient"
    greater_is_better = True

    def of(self, confusion: Floats) -> Floats:
        """Return the correlation; zero where all labels or all predictions are of one class."""
        # Shares, because products of weights could be too large or too small for a number.
        share = confusion / _total(confusion)[..., None, None]
        others = 1.0 - np.eye(share.shape[-1])
        # The variance sum_i t_i (1 - t_i), without the cancellation of 1 - sum_i t_i^2, and the
        # covariance sum_i (m_ii - t_i p_i) as sum_i (m_ii rest_i - missed_i false_i).
        spread = [(p * (p @ others)).sum(axis=-1) for p in (share.sum(axis=-1), share.sum(axis=-2))]
        missed, false = (share * others).sum(axis=-1), (share * others).sum(axis=-2)
        rest = _hits(others @ share @ others)
        common = (_hits(share) * rest - missed * false).sum(axis=-1)
        # Rounding must not make more of a perfect correlation.
        return np.clip(ratio(common, np.sqrt(spread[0]) * np.sqrt(spread[1])), -1.0, 1.0)


def _cost_matrix(value: Any, rows: ValidationRows, metric: str) -> Floats:
    n = rows.outputs.n_classes
    if value is None:
        raise MissingOptionError(
            metric,
            "cost_matrix",
            f"of shape ({n}, {n}): in row i and column j what it costs to predict class j where "
            "class i is true.",
        )
    matrix = np.asarray(value, dtype=float)
    if matrix.shape != (n, n):
        raise ValueError(f"cost_matrix must have shape ({n}, {n}), got {matrix.shape}.")
    if not np.isfinite(matrix).all():
        raise ValueError("cost_matrix must be finite: it has infinite values or NaN.")
    return matrix


def _read_matrix(text: str) -> list[list[float]]:
    try:
        return [[float(number) for number in row.split(",")] for row in text.split(";")]
    except ValueError:
        raise ValueError(f"{text!r} is no matrix: write rows as 0,1;5,0.") from None


@final
@built_in
class Cost(ConfusionMetric):
    """The weighted mean of the costs of predictions; a negative cost is a gain."""

    name = "cost"
    best_at_limits = True
    label = "mean cost"
    options = (
        Option(
            "cost_matrix",
            'Cost of a prediction, a row for each true class, as "0,1;5,0".',
            _cost_matrix,
            read=_read_matrix,
        ),
    )

    def of(self, confusion: Floats, *, cost_matrix: Floats) -> Floats:
        """Return the mean cost."""
        return ratio(_total(confusion * cost_matrix), _total(confusion))
