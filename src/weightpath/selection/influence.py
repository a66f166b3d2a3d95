"""The exact influence of training instances on a validation metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from weightpath.curves.queries import distinct_rows
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.model_outputs import outputs_of_model
from weightpath.estimators.pipelines import last_and_preparation
from weightpath.estimators.row_names import names_of_training
from weightpath.metrics import Metric
from weightpath.metrics.evaluator import Evaluator
from weightpath.selection.raw_rows import check_raw_rows
from weightpath.selection.removals import (
    every_removal,
    instances_of,
    removals_of,
    sets_of_groups,
)
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Influence", "influence"]

# Removals whose validation values are computed together, and values in all; fixed, so that rounding
# does not depend on the number of threads.
_TOGETHER = 256
_VALUES = 8_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Influence:
    """How a validation metric changes when training instances, or groups of them, go.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The metric without the instance, minus the metric with all.
    removed : ndarray of shape (n,)
        The instance (a row of the training set) or the group that each value belongs to.
    metric : str
        Name of the metric.
    metric_value : float
        The metric of the model as it is.
    greater_is_better : bool
        Whether a rise of the metric is an improvement.
    n_paths : int
        How many removals needed a path.
    """

    values: NDArray[np.float64]
    removed: NDArray[Any]
    metric: str
    metric_value: float
    greater_is_better: bool
    n_paths: int
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return (
            f"<Influence: {self.metric}={self.metric_value:.6g}, {self.values.size} removals, "
            f"changes {np.min(self.values, initial=0.0):.3g} to "
            f"{np.max(self.values, initial=0.0):.3g}>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            "Influence",
            [
                ("metric", self.metric),
                ("value", float(self.metric_value)),
                ("removals", self.values.size),
                ("smallest change", float(np.min(self.values, initial=0.0))),
                ("largest change", float(np.max(self.values, initial=0.0))),
                ("paths", self.n_paths),
            ],
        )

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions in ``values`` from the most helpful (it is worse without) to the most harmful.

        Those without influence are between them, in their order.
        """
        helpful = -self.values if self.greater_is_better else self.values
        return np.argsort(-helpful, kind="stable")

    def to_frame(self) -> DataFrame:
        """Values as a :class:`pandas.DataFrame`, the most helpful first.

        Returns
        -------
        DataFrame
            Columns ``removed`` and ``change``. Where instances are removed and the model was
            trained on a frame, or on a series of labels, with an index, this has that index.
        """
        pd = pandas_for("Influence.to_frame")
        order = self.order
        table = {"removed": self.removed[order], "change": self.values[order]}
        if self._names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self._names[order], name="instance"))


def influence(
    model: PathEstimator | Pipeline,
    X_val: Any,
    y_val: ArrayLike,
    metric: str | Metric,
    *,
    indices: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> Influence:
    """Change of a validation metric when each instance, or each group, is removed: exact.

    Every removal is a path from the solution that the model sits at, as in
    :func:`~weightpath.leave_one_out`, and the metric is that of a model fitted without the
    instance, with the same kernel. Instances without a coefficient have no influence and cost
    nothing.

    Parameters
    ----------
    model : SVC, SVR, QuantileSVR, OneClassSVM, Lasso or Pipeline
        A fitted model, wherever it has moved to, or a scikit-learn pipeline whose last step is one.
        It is left as it is. Transformers stay as they were fitted, with all instances.
    X_val : array-like or sparse matrix of shape (n_val, n_features)
        Validation rows, raw ones of a pipeline; for a precomputed kernel their values with all
        training instances.
    y_val : array-like of shape (n_val,)
        Their labels or values.
    metric : str or Metric
        A metric of :meth:`weightpath.SolutionPath.curve`, one of
        :func:`weightpath.metrics.names`, as far as it suits the model. Metrics of ranked rows suit
        all models but those of several classes; relevant is the second class, elsewhere
        ``y_val > 0``.
    indices : array-like of int or None, default=None
        The instances to remove one by one, rows of the training set; all if not given.
    groups : array-like of shape (n_samples,) or None, default=None
        The group of each training instance. Then whole groups are removed, each on one path. Not
        together with ``indices``.
    sample_weight : array-like of shape (n_val,) or None, default=None
        Costs of the validation rows; metrics are weighted means.
    metric_params : dict or None, default=None
        Options of the metric whose names are taken here, such as the ``groups`` of validation rows.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them. The result does not depend on it.
    verbose : int, default=0
        From 1 on a progress bar is shown.
    **options
        Options of the metric, as of :meth:`weightpath.SolutionPath.curve`, such as ``k`` or
        ``cost_matrix``.

    Returns
    -------
    Influence
        The changes, and which instance or group each belongs to.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> new = wp.datasets.make_toy(200, random_state=1, like=toy)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> found = wp.influence(model, new.X, new.y, "hinge")
    >>> without = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> path = without.remove(0)
    >>> change = path.curve(new.X, new.y, "hinge")(1.0) - found.metric_value
    >>> bool(abs(change - found.values[0]) < 1e-9)
    True
    """
    model, preparation = last_and_preparation(model)
    removals = removals_of(model, n_jobs)
    X = check_raw_rows(model, preparation, X_val)
    options = {**options, **(metric_params or {})}
    outputs = outputs_of_model(model)
    score = Evaluator(metric, outputs, X.shape[0], y_val, sample_weight, options)
    n = len(model.training_set_)
    if groups is None:
        removed = instances_of(indices, n)
        sets = list(removed[:, None])
    else:
        if indices is not None:
            raise ValueError("Give indices or groups, not both.")
        removed, sets = sets_of_groups(groups, n)
    found = every_removal(removals, sets, n_jobs, verbose)
    # Equal rows have equal scores, whatever the rounding.
    first, row = distinct_rows(X, np.zeros(X.shape[0], dtype=np.intp))
    points = X[first]
    before = removals.values(points)
    metric_value = score(before[row])
    values = np.zeros(len(sets))
    changed = np.array([k for k, one in enumerate(found) if one is not None], dtype=np.intp)
    together = max(1, min(_TOGETHER, _VALUES // before.size))
    for begin in range(0, len(changed), together):
        some = changed[begin : begin + together]
        after = removals.values_without([found[k] for k in some], points, before)
        values[some] = [score(one[row]) - metric_value for one in after]
    n_paths = len([one for one in found if one is not None and removals.events_of(one)])
    kind = score.metric
    names = names_of_training(model.training_set_) if groups is None else None
    return Influence(
        values,
        removed,
        kind.name,
        metric_value,
        kind.greater_is_better,
        n_paths,
        None if names is None else names[removed],
    )
