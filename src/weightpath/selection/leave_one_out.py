"""Exact leave-one-out: every instance judged by the model that was fitted without it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.pipelines import last_and_preparation
from weightpath.estimators.problem import Fitted
from weightpath.estimators.row_names import names_of_training
from weightpath.path import Preparation
from weightpath.selection.raw_rows import check_raw_rows
from weightpath.selection.removals import (
    Found,
    InstanceRemovals,
    every_removal,
    instances_of,
    removals_of,
    sets_of_groups,
)
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LeaveOneOut", "leave_one_out"]


class _ModelsWithout:
    """All models without some instances.

    Parameters
    ----------
    model : PathEstimator
        The model with all instances; a copy is kept, wherever it goes.
    removals : InstanceRemovals
        What removes instances from it.
    found : sequence
        What each removal leaves, ``None`` for the same model.
    which : ndarray of int
        The removal that belongs to each instance asked for.
    preparation : Preparation or None
        What raw rows go through first.
    """

    def __init__(
        self,
        model: PathEstimator,
        removals: InstanceRemovals[Any],
        found: Sequence[Any],
        which: NDArray[np.intp],
        preparation: Preparation | None,
    ) -> None:
        self._model, self._removals = copy(model), removals
        self._found, self._which = found, which
        self._preparation = preparation

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all models at some rows: (n, m, n_subproblems)."""
        X = check_raw_rows(self._model, self._preparation, X)
        before = self._removals.values(X)
        after = np.repeat(before[None], len(self._found), axis=0)
        changed = [k for k, one in enumerate(self._found) if one is not None]
        if changed:
            some = [self._found[k] for k in changed]
            after[changed] = self._removals.values_without(some, X, before)
        return after[self._which]


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut:
    """Predictions for instances by models that were fitted without them.

    Attributes
    ----------
    indices : ndarray of int of shape (n,)
        The instances, rows of the training set.
    decision_values : ndarray of shape (n,) or (n, n_pairs)
        For each the decision value (of a regression, the prediction) of the model without it; one
        for each pair of classes where there are more than two.
    predictions : ndarray of shape (n,)
        What the model without it predicts: a label, a value, or 1 (inlier) and -1 (outlier).
    losses : ndarray of shape (n,)
        Its loss under the model without it, as :func:`leave_one_out` defines it.
    error : float
        The share of wrong labels of a classifier, else the mean loss.
    n_paths : int
        How many removals needed a path.
    n_events : int
        The events on all of them.
    """

    indices: NDArray[np.intp]
    decision_values: NDArray[np.float64]
    predictions: NDArray[Any]
    losses: NDArray[np.float64]
    error: float
    n_paths: int
    n_events: int
    _models: _ModelsWithout = field(repr=False)
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of all models, each without one instance, at other rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            The rows, raw ones of a pipeline; for a precomputed kernel their values with all
            training instances.

        Returns
        -------
        ndarray of shape (n, m) or (n, m, n_pairs)
            Of a regression, the predictions. With groups, an instance stands for its group.
        """
        values = self._models.values(X)
        return values[:, :, 0] if values.shape[2] == 1 else values

    def to_frame(self) -> DataFrame:
        """Return one row for each instance as a :class:`pandas.DataFrame`.

        Returns
        -------
        DataFrame
            Columns ``prediction``, ``loss`` and ``decision_value`` (with more than two classes
            ``decision_value_0``, ... for the pairs of classes). Its index is that of the frame, or
            of the series of labels, that the model was trained on; else the number of the row.
        """
        pd = pandas_for("LeaveOneOut.to_frame")
        table = {"prediction": self.predictions, "loss": self.losses}
        values = self.decision_values
        if values.ndim == 1:
            table["decision_value"] = values
        else:
            table.update({f"decision_value_{k}": one for k, one in enumerate(values.T)})
        index = self.indices if self._names is None else self._names[self.indices]
        return pd.DataFrame(table, index=pd.Index(index, name="instance"))

    def __repr__(self) -> str:
        return (
            f"<LeaveOneOut: {self.indices.size} instances, error={self.error:.6g}, "
            f"{self.n_paths} paths, {self.n_events} events>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            "Leave-one-out",
            [
                ("instances", self.indices.size),
                ("error", float(self.error)),
                ("mean loss", float(np.mean(self.losses))),
                ("paths", self.n_paths),
                ("events", self.n_events),
            ],
        )


def leave_one_out(
    model: Any,
    indices: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LeaveOneOut:
    r"""Leave out every instance once, exactly, without fitting again.

    Each weight goes to zero along a path from the present solution of the model; instances
    without a coefficient cost nothing. The result is what a fit without the instance would give,
    with the same kernel: ``gamma="scale"`` is not resolved again, the model's ``gamma_`` stays.
    The factors of ``class_weight="balanced"`` are recomputed, as ``remove`` does.

    Parameters
    ----------
    model : SVC, SVR, QuantileSVR, OneClassSVM, Lasso or Pipeline
        A fitted model, wherever it has moved to, or a scikit-learn pipeline whose last step is one.
        It is left as it is. Transformers stay as they were fitted, with all instances.
    indices : array-like of int or None, default=None
        The instances to leave out one by one, rows of the training set; all if not given.
    groups : array-like of shape (n_samples,) or None, default=None
        The group of each instance. Then whole groups are left out, and every instance is judged by
        the model without its group. Not together with ``indices``.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them. The result does not depend on it.
    verbose : int, default=0
        From 1 on a progress bar is shown.

    Returns
    -------
    LeaveOneOut
        Decision values, predictions, losses and the error.

    Notes
    -----
    The losses are, with :math:`f` the function without the instance,

    - SVC: :math:`[\delta_i - y_i f(x_i)]_+`, summed over the pairs of its class;
    - SVR: :math:`[|y_i - f(x_i)| - \epsilon_i]_+`;
    - QuantileSVR: the pinball loss of its quantile;
    - OneClassSVM: :math:`[-f(x_i)]_+`;
    - Lasso: :math:`(y_i - f(x_i))^2`.

    An instance of weight zero has no influence: its value is the model's own. Of a
    :class:`~weightpath.OneClassSVM` and of a :class:`~weightpath.Lasso` every removal changes the
    problem (the total weight, the mean), so that each is a path.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> left_out = wp.leave_one_out(model)
    >>> left_out.n_paths == model.support_.size
    True
    >>> without = wp.SVC(C=10, gamma=0.5).fit(toy.X[1:], toy.y[1:])
    >>> bool(abs(without.decision_function(toy.X[:1])[0] - left_out.decision_values[0]) < 1e-9)
    True

    All eighty models at other rows:

    >>> left_out.decision_function(toy.X[:5]).shape
    (80, 5)
    """
    model, preparation = last_and_preparation(model)
    removals = removals_of(model, n_jobs)
    n = len(model.training_set_)
    if groups is None:
        index = instances_of(indices, n)
        sets = list(index[:, None])
    else:
        if indices is not None:
            raise ValueError("Give indices or groups, not both.")
        _, sets = sets_of_groups(groups, n)
        index = np.arange(n)
    which = np.arange(len(sets))
    if groups is not None:
        which = np.empty(n, dtype=np.intp)
        for k, instances in enumerate(sets):
            which[instances] = k
    found = every_removal(removals, sets, n_jobs, verbose)
    values = _values(removals, sets, found)[index]
    where = Fitted(model.training_set_, model.problem_, dict(model.quantities_), model.subproblems_)
    ties = bool(getattr(model, "break_ties", False))
    judged = model.problem_.judge(where, index, values, ties)
    events = [count for one in found if one is not None for count in removals.events_of(one)]
    removals.close()
    return LeaveOneOut(
        index,
        values[:, 0] if values.shape[1] == 1 else values,
        judged.predictions,
        judged.losses,
        judged.error,
        len(events),
        int(sum(events)),
        _ModelsWithout(model, removals, found, which, preparation),
        names_of_training(model.training_set_),
    )


def _values(
    removals: InstanceRemovals[Found],
    sets: Sequence[NDArray[np.intp]],
    found: Sequence[Found | None],
) -> NDArray[np.float64]:
    """Return the values of all subproblems at all instances; at those left out, without them."""
    before = removals.values_at_training()
    values = before.copy()
    for instances, one in zip(sets, found, strict=True):
        if one is not None:
            values[instances] = removals.own_values(instances, one, before)
    return values
