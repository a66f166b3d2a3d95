"""What a search is given: checked, in one object, and split into folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import _num_samples, check_consistent_length

from weightpath.estimators.checks import check_weights
from weightpath.metrics import Metric
from weightpath.selection.folds import SearchData, moves_rows, ranks
from weightpath.selection.polyline import Polyline, named_polyline, polyline

__all__ = ["Fold", "check_data", "check_rows_of_options", "routes_of", "split_rows"]

# Rows to learn from, and rows to judge by.
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class Splittable(Protocol):
    """What is needed of data that are split into folds: rows, labels or values, and queries."""

    X: Any
    y: NDArray[Any] | None
    qid: NDArray[Any] | None

    @property
    def n_rows(self) -> int:
        """The number of rows."""


def check_data(
    estimator: Any,
    X: Any,
    y: Any,
    corners: tuple[Any, Any, Sequence[Any] | None],
    validation_weight: ArrayLike | None,
    qid: ArrayLike | None,
    fitting: dict[str, Any],
) -> SearchData:
    """Check the data of a search, and put them into one object.

    Parameters
    ----------
    estimator : PathEstimator or Pipeline
        Whose weights are searched for.
    X, y, validation_weight, qid
        As for ``PathSearchCV.fit``.
    corners : (start, end, patterns)
        The sets of weights to walk between.
    fitting : dict
        What ``fit`` of the estimator takes besides.
    """
    if isinstance(estimator, Pipeline):
        # Its transformers check the rows, which may hold texts and missing values.
        (X,) = indexable(X)
    else:
        X = check_array(
            X, accept_sparse="csr", dtype=np.float64, order="C", estimator="PathSearchCV"
        )
    y = None if y is None else np.asarray(y)
    check_consistent_length(X, y, qid)
    n = int(_num_samples(X))
    start, end, patterns = corners
    line: Polyline
    if ranks(estimator):
        line = named_polyline(start, end, patterns)
        fitting = fitting if qid is None else {**fitting, "qid": np.asarray(qid)}
    else:
        line = polyline(start, end, patterns, _n_weights(estimator, X))
    if validation_weight is not None:
        validation_weight = check_weights("validation_weight", validation_weight, n)
    return SearchData(
        X, y, line, validation_weight, None if qid is None else np.asarray(qid), fitting
    )


def _n_weights(estimator: Any, X: Any) -> int | None:
    """Return how many weights a set has; ``None`` if only the fit of a pipeline knows it."""
    if moves_rows(estimator):
        return int(_num_samples(X))
    return None if isinstance(estimator, Pipeline) else int(X.shape[1])


def split_rows(estimator: Any, cv: Any, data: Splittable, splitting: dict[str, Any]) -> list[Fold]:
    """Return the folds that a splitter or a number of folds gives.

    Parameters
    ----------
    estimator : PathEstimator
        Whose weights are searched for.
    cv : int, splitter or iterable
        As ``PathSearchCV`` takes it.
    data : SearchData or PlaneData
        The rows.
    splitting : dict
        What the splitter takes besides.
    """
    splitter = check_cv(cv, data.y, classifier=is_classifier(estimator))
    if ranks(estimator) and data.qid is not None and isinstance(cv, Integral):
        # A query is either learnt from or judged.
        splitter, splitting = GroupKFold(cv), {"groups": data.qid}
    everything = np.arange(data.n_rows)
    folds = [
        (everything[train], everything[test])
        for train, test in splitter.split(data.X, data.y, **splitting)
    ]
    if not folds:
        raise ValueError("cv gives no folds at all.")
    return folds


def check_rows_of_options(metric: Metric, given: Mapping[str, Any], n: int) -> None:
    """Raise unless the options of a metric that have an entry for each row fit the rows."""
    for name in (option.name for option in metric.options if option.per_row):
        if given.get(name) is not None and len(given[name]) != n:
            raise ValueError(
                f"metric_params: {name} must have one entry for each of the {n} rows, got "
                f"{len(given[name])}."
            )


def routes_of(search: Any) -> MetadataRouter:
    """Return what a search passes on: to its splitter, and of ``fit`` the rest to the model."""
    to_fit = MethodMapping().add(caller="fit", callee="fit")
    to_split = MethodMapping().add(caller="fit", callee="split")
    router = MetadataRouter(owner=type(search).__name__).add_self_request(search)
    router.add(splitter=check_cv(search.cv), method_mapping=to_split)
    return router.add(estimator=search.estimator, method_mapping=to_fit)
