r"""How differently a classifier treats groups of rows.

===================  ========================================================================
"demographic_parity" the largest difference between two groups in the share of rows that are
                     predicted as a class
"equal_opportunity"  the largest difference between two groups in the share of the rows of a
                     class that are predicted as it (the recall)
===================  ========================================================================

Zero is equal treatment. The class of "equal_opportunity" is the second of two. Of more classes both
metrics are the largest difference over all of them; for the share of predictions it is the same for
either of two classes. A group without rows (of the class) has no share, and is left out.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.metrics.classification import ratio
from weightpath.metrics.counts import count_at, curve_of_counts
from weightpath.metrics.ids import encode_ids
from weightpath.metrics.metric import Metric, MissingOptionError, Option
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.plane import PlaneCounts
from weightpath.metrics.registry import built_in
from weightpath.metrics.validation import ValidationRows

__all__ = ["DemographicParity", "EqualOpportunity", "GroupMetric"]

Floats = NDArray[np.float64]


def _groups(value: Any, rows: ValidationRows, metric: str) -> NDArray[np.intp]:
    if value is None:
        raise MissingOptionError(metric, "groups", "the group of each row.")
    return encode_ids(value, len(rows), "groups", "group")


class GroupMetric(Metric):
    """A function of the confusion matrices of all groups; along a path it is a step function."""

    options: tuple[Option, ...] = (
        Option("groups", "Column with the group of each row.", _groups, per_row=True),
    )

    @abstractmethod
    def of(self, confusion: Floats) -> Floats:
        """Return the values at many sets of confusion matrices at once.

        Parameters
        ----------
        confusion : ndarray of shape (n_sets, n_groups, n_classes, n_classes)
            Weights of rows of class ``i``, predicted as class ``j``.

        Returns
        -------
        ndarray of shape (n_sets,)
        """

    @abstractmethod
    def least(self, low: Floats, high: Floats, total: Floats) -> Floats:
        """Return a lower bound where of two classes only limits of the matrices are known.

        Parameters
        ----------
        low, high : ndarray of shape (n_sets, n_groups, 2)
            Limits of the weights of the rows of each class that are predicted as the second.
        total : ndarray of shape (n_groups, 2)
            The weights of all rows of each class.

        Returns
        -------
        ndarray of shape (n_sets,)
        """

    def suits(self, outputs: Outputs) -> bool:
        """Return whether there are classes."""
        return outputs.classes is not None

    def along(
        self,
        path: DecisionPath,
        rows: ValidationRows,
        *,
        groups: NDArray[np.intp],
    ) -> Curve:
        """Return the metric as a function of theta, of degree 0; see :class:`Metric`."""
        n = rows.outputs.n_classes
        n_groups = int(groups.max()) + 1

        def values(counts: Floats) -> Floats:
            return self.of(counts.reshape(-1, n_groups, n, n))

        return curve_of_counts(path, rows, groups * n + rows.target, n_groups * n, values)

    def at(
        self,
        values: NDArray[np.float64],
        rows: ValidationRows,
        *,
        groups: NDArray[np.intp],
    ) -> float:
        """Return the metric at given decision values; see :class:`Metric`."""
        n = rows.outputs.n_classes
        n_groups = int(groups.max()) + 1
        code = groups * n + rows.target
        counts = count_at(rows, rows.outputs.predicted(values), code, n_groups * n)
        return float(self.of(counts.reshape(1, n_groups, n, n))[0])

    def in_plane(self, rows: ValidationRows, *, groups: NDArray[np.intp]) -> PlaneCounts:
        """Return the metric as a function of counts; see :class:`Metric`."""
        n_groups = int(groups.max()) + 1
        code = groups * 2 + rows.target
        total: Floats = np.bincount(code, rows.weight, minlength=2 * n_groups).astype(float)

        def loss(positive: Floats) -> Floats:
            both = np.stack((np.maximum(total - positive, 0.0), positive), axis=-1)
            return self.of(both.reshape(-1, n_groups, 2, 2))

        def least(low: Floats, high: Floats) -> Floats:
            low, high = low.reshape(-1, n_groups, 2), high.reshape(-1, n_groups, 2)
            return self.least(low, high, total.reshape(n_groups, 2))

        return PlaneCounts(code, rows.weight, loss, least)


def _least_difference(low: Floats, high: Floats, total: Floats) -> Floats:
    """The difference that shares of groups with a total, the last axis, have at least."""
    some = total > 0
    if not some.any():
        return np.zeros(len(low))
    gap = low[:, some].max(axis=1) - high[:, some].min(axis=1)
    return np.asarray(np.maximum(gap, 0.0))


def _largest_difference(share: Floats, total: Floats) -> Floats:
    """Over groups, the last axis but one, with a total; the largest over classes, the last."""
    highest = np.where(total > 0, share, -np.inf).max(axis=-2)
    lowest = np.where(total > 0, share, np.inf).min(axis=-2)
    # Without a group there is no difference.
    return np.asarray(np.maximum(highest - lowest, 0.0).max(axis=-1))


@final
@built_in
class DemographicParity(GroupMetric):
    """The largest difference between groups in the share of predictions of a class."""

    name = "demographic_parity"
    label = "demographic parity difference"

    def of(self, confusion: Floats) -> Floats:
        """Return the largest difference of the shares of columns."""
        predicted = confusion.sum(axis=-2)
        total = predicted.sum(axis=-1, keepdims=True)
        return _largest_difference(ratio(predicted, total), total)

    def least(self, low: Floats, high: Floats, total: Floats) -> Floats:
        """Return how far apart the shares of groups are at least."""
        group = total.sum(axis=1)
        return _least_difference(
            ratio(low.sum(axis=2), group), ratio(high.sum(axis=2), group), group
        )


@final
@built_in
class EqualOpportunity(GroupMetric):
    """The largest difference between groups in recall."""

    name = "equal_opportunity"
    label = "equal opportunity difference"

    def of(self, confusion: Floats) -> Floats:
        """Return the largest difference of the shares of the diagonal in its rows."""
        total = confusion.sum(axis=-1)
        recall = ratio(np.diagonal(confusion, axis1=-2, axis2=-1), total)
        classes = slice(1, 2) if recall.shape[-1] == 2 else slice(None)
        return _largest_difference(recall[..., classes], total[..., classes])

    def least(self, low: Floats, high: Floats, total: Floats) -> Floats:
        """Return how far apart the shares of groups are at least."""
        of_class = total[:, 1]
        return _least_difference(
            ratio(low[..., 1], of_class), ratio(high[..., 1], of_class), of_class
        )
