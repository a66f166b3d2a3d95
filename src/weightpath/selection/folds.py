"""One task of a search: a path on the training rows of a fold, its curve on the others."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples

from weightpath.curves import Curve, join_curves
from weightpath.engine.threads import single_blas
from weightpath.estimators.pipelines import last_step
from weightpath.metrics import Metric
from weightpath.selection.pipeline_fits import fit_last_step
from weightpath.selection.polyline import Polyline, walk

__all__ = [
    "FoldTask",
    "SearchData",
    "fitted_at_start",
    "moves_rows",
    "ranks",
    "rows_of",
    "tell_where",
    "trace_fold",
]


@dataclass(eq=False)
class SearchData:
    """All data of a search: one object, so that it is sent to a worker once and not per task.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, n_features)
        Rows; for a precomputed kernel its matrix. Of a pipeline the raw rows, as they were given.
    y : ndarray of shape (n,) or None
        Labels or values.
    line : Polyline
        The weights, of rows or (lasso) of features.
    validation_weight : ndarray of shape (n,) or None
        Weights of held-out rows in the metric.
    qid : ndarray of shape (n,) or None
        Queries.
    fit_params : dict
        What ``fit`` of the estimator gets besides.
    """

    X: Any
    y: NDArray[Any] | None
    line: Polyline
    validation_weight: NDArray[np.float64] | None = None
    qid: NDArray[Any] | None = None
    fit_params: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(_num_samples(self.X))

    def __sizeof__(self) -> int:
        # Dask and Ray look at the size to decide what to send ahead of the tasks.
        parts: list[Any] = [self.y, self.validation_weight, self.qid, *self.line.corners]
        X = self.X
        parts += [X.data, X.indices, X.indptr] if issparse(X) else [X]
        return object.__sizeof__(self) + sum(sys.getsizeof(part) for part in parts)


@dataclass(frozen=True, eq=False)
class FoldTask:
    """What one task does with the data.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    params : dict
        Its parameters at this point of a grid.
    train, test : ndarray of int
        Rows.
    metric : Metric
        The metric itself, because the worker may not know its name.
    metric_params : dict
        Its options; those with an entry for each row are of all rows.
    label : str
        Which fold this is, for errors.
    """

    estimator: Any
    params: dict[str, Any]
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    metric: Metric
    metric_params: dict[str, Any]
    label: str


def moves_rows(estimator: Any) -> bool:
    """Whether the weights of an estimator belong to rows, rather than (lasso) to features."""
    return "sample_weight" in inspect.signature(last_step(estimator).reweight).parameters


def ranks(estimator: Any) -> bool:
    """Whether an estimator learns from pairs of documents, so that it needs their queries."""
    return "qid" in inspect.signature(last_step(estimator).fit).parameters


def fitted_at_start(
    estimator: Any,
    params: dict[str, Any],
    X: Any,
    y: Any,
    line: Polyline,
    fit_params: dict[str, Any],
) -> Any:
    """Return a fresh copy of the estimator, fitted at the first corner of a walk.

    The transformers of a pipeline are fitted too; weights are for its last step.
    """
    model = clone(estimator).set_params(**clone(params, safe=False))
    last = last_step(model)
    own = {}
    if moves_rows(last):
        own["sample_weight"] = line.corners[0]
    else:
        (name,) = inspect.signature(last.reweight).parameters
        last.set_params(**{name: line.corners[0]})
    return fit_last_step(model, X, y, own, fit_params)


def trace_fold(data: SearchData, task: FoldTask) -> Curve:
    """The exact curve of one fold.

    Parameters
    ----------
    data : SearchData
        The data.
    task : FoldTask
        What to do with them.

    Returns
    -------
    Curve
        On [0, number of legs].
    """
    with single_blas():
        try:
            return _traced(data, task)
        except Exception as error:
            tell_where(error, task.label)
            raise


def _traced(data: SearchData, task: FoldTask) -> Curve:
    train, test = task.train, task.test
    pairwise = get_tags(clone(task.estimator).set_params(**task.params)).input_tags.pairwise
    X_train, X_test = _safe_indexing(data.X, train), _safe_indexing(data.X, test)
    if pairwise:
        X_train, X_test = (_safe_indexing(X, train, axis=1) for X in (X_train, X_test))
    line = data.line.restricted(train) if moves_rows(task.estimator) else data.line
    n = data.n_rows
    fit_params = {name: rows_of(value, train, n) for name, value in data.fit_params.items()}
    y_train, y_test = rows_of(data.y, train, n), rows_of(data.y, test, n)
    options = dict(task.metric_params)
    for option in task.metric.options:
        if option.per_row and options.get(option.name) is not None:
            options[option.name] = np.asarray(options[option.name])[test]
    if data.validation_weight is not None:
        options["sample_weight"] = data.validation_weight[test]
    if data.qid is not None:
        options["qid"] = data.qid[test]
    model = fitted_at_start(task.estimator, task.params, X_train, y_train, line, fit_params)
    legs = [path.curve(X_test, y_test, task.metric, **options) for path in walk(model, line)]
    return legs[0] if len(legs) == 1 else join_curves(legs)


def rows_of(value: Any, rows: NDArray[np.intp], n: int) -> Any:
    """Return the rows of what has one entry for each of ``n`` rows, and anything else as it is."""
    if value is None or isinstance(value, (str, bytes, dict)):
        return value
    try:
        per_row = (value.shape[0] if hasattr(value, "shape") else len(value)) == n
    except (TypeError, IndexError):
        return value
    if not per_row:
        return value
    return value[rows] if issparse(value) else np.asarray(value)[rows]


def tell_where(error: Exception, label: str) -> None:
    """Put the name of the fold before the message of an error."""
    if error.args and isinstance(error.args[0], str):
        error.args = (f"{label}: {error.args[0]}", *error.args[1:])
    else:
        error.add_note(f"In {label}.")
