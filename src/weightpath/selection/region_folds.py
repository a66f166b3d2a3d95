"""One task of a search over a plane: the map of a fold, and the metric on its other rows."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples

from weightpath.engine.threads import single_blas
from weightpath.metrics import Metric, Outputs, ValidationRows
from weightpath.regions import region_map
from weightpath.regions.surface_build import (
    blocks_of,
    layer_of,
    require_complete,
    resolution_of,
)
from weightpath.regions.surface_layers import Layer
from weightpath.regions.validation import checked_rows
from weightpath.selection.folds import rows_of, tell_where
from weightpath.selection.pipeline_fits import fit_last_step

__all__ = ["FoldPlane", "PlaneData", "PlaneTask", "fitted_in_plane", "trace_plane"]


@dataclass(eq=False)
class PlaneData:
    """All data of a search: one object, so that it is sent to a worker once and not per task.

    Parameters
    ----------
    X : ndarray, CSR matrix or raw rows of a pipeline
        Rows; for a precomputed kernel its matrix.
    y : ndarray of shape (n,) or None
        Labels or values.
    axes : sequence of dicts or arrays
        The two axes; what has an entry for each row is split into folds.
    sample_weight, validation_weight : ndarray of shape (n,) or None
        Weights of rows in the model at z = 0, and of held-out rows in the metric.
    fit_params : dict
        What ``fit`` of the estimator gets besides.
    """

    X: Any
    y: NDArray[Any] | None
    axes: Sequence[Any]
    sample_weight: NDArray[np.float64] | None = None
    validation_weight: NDArray[np.float64] | None = None
    qid: NDArray[Any] | None = None
    fit_params: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(_num_samples(self.X))

    def __sizeof__(self) -> int:
        # Dask and Ray look at the size to decide what to send ahead of the tasks.
        X = self.X
        parts = [self.y, *([X.data, X.indices, X.indptr] if issparse(X) else [X])]
        return object.__sizeof__(self) + sum(sys.getsizeof(part) for part in parts)

    def axes_of(self, rows: NDArray[np.intp]) -> list[Any]:
        """Return the axes of some rows."""
        n = self.n_rows
        return [
            {name: rows_of(value, rows, n) for name, value in axis.items()}
            if isinstance(axis, Mapping)
            else rows_of(axis, rows, n)
            for axis in self.axes
        ]


@dataclass(frozen=True, eq=False)
class PlaneTask:
    """What one task does with the data; see :class:`~weightpath.RegionSearchCV`."""

    estimator: Any
    bounds: Any
    max_regions: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    metric: Metric
    metric_params: dict[str, Any]
    label: str


@dataclass(frozen=True, eq=False)
class FoldPlane:
    """The metric of one fold over the plane.

    Parameters
    ----------
    layer : Layer
        Without its form, whose functions may not be sent between processes.
    rows : ValidationRows
        The held-out rows, without their features.
    options : dict
        The options of the metric, checked.
    n_regions : int
        How many regions the map of the fold has.
    resolution : float
        Polygons of the unit square that are not wider do not count.
    """

    layer: Layer
    rows: ValidationRows
    options: dict[str, Any]
    n_regions: int
    resolution: float

    def with_form(self, metric: Metric) -> Layer:
        """Return the layer with its form."""
        if not hasattr(self.layer, "form"):
            return self.layer
        form = metric.in_plane(self.rows, **self.options)
        return replace(self.layer, form=form)  # type: ignore[call-arg]


def fitted_in_plane(
    estimator: Any, X: Any, y: Any, sample_weight: Any, fit_params: Mapping[str, Any]
) -> Any:
    """Return a fresh copy of an estimator or pipeline, fitted at z = 0."""
    own = {} if sample_weight is None else {"sample_weight": sample_weight}
    return fit_last_step(clone(estimator), X, y, own, fit_params)


def trace_plane(data: PlaneData, task: PlaneTask) -> FoldPlane:
    """Return the metric of one fold over the plane.

    Parameters
    ----------
    data : PlaneData
        The data.
    task : PlaneTask
        What to do with them.

    Returns
    -------
    FoldPlane
    """
    with single_blas():
        try:
            return _traced(data, task)
        except Exception as error:
            tell_where(error, task.label)
            raise


def _traced(data: PlaneData, task: PlaneTask) -> FoldPlane:
    train, test, n = task.train, task.test, data.n_rows
    X_train, X_test = _safe_indexing(data.X, train), _safe_indexing(data.X, test)
    if get_tags(task.estimator).input_tags.pairwise:
        X_train, X_test = (_safe_indexing(X, train, axis=1) for X in (X_train, X_test))
    fit_params = {name: rows_of(value, train, n) for name, value in data.fit_params.items()}
    weight = rows_of(data.sample_weight, train, n)
    model = fitted_in_plane(task.estimator, X_train, rows_of(data.y, train, n), weight, fit_params)
    plane = region_map(model, data.axes_of(train), task.bounds, task.max_regions)
    require_complete(plane)
    options = dict(task.metric_params)
    for option in task.metric.options:
        if option.per_row and options.get(option.name) is not None:
            options[option.name] = np.asarray(options[option.name])[test]
    metric, rows, resolved = checked_rows(
        plane,
        X_test,
        rows_of(data.y, test, n),
        task.metric,
        rows_of(data.validation_weight, test, n),
        options,
    )
    form = metric.in_plane(rows, **resolved)
    layers = [layer_of(form, corners, affine) for _, corners, affine in blocks_of(plane, X_test)]
    layer = type(layers[0]).joined(layers).detailed()
    if hasattr(layer, "form"):
        layer = replace(layer, form=None)  # type: ignore[call-arg]
    outputs: Outputs = replace(rows.outputs, told=_not_told)
    rows = replace(rows, outputs=outputs)
    return FoldPlane(layer, rows, resolved, len(plane), resolution_of(plane))


def _not_told(name: str) -> list[NDArray[np.float64]]:
    return []
