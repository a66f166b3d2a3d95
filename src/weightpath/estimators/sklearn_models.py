"""Fitted models of scikit-learn with the function of one of ours.

Exporters such as skl2onnx know scikit-learn's classes only. The twin of a support vector machine is
made by a fit to one row of each class, which sets what scikit-learn keeps for itself, and is then
given the exact solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.estimators.problem import Fitted

__all__ = ["sklearn_classifier", "sklearn_lasso", "sklearn_one_class", "sklearn_regressor"]

# Parameters that mean the same on both sides, as far as scikit-learn's class has them.
_SHARED = (
    *("kernel", "degree", "coef0", "tol", "cache_size", "shrinking", "verbose"),
    *("decision_function_shape", "break_ties", "random_state"),
)


def sklearn_classifier(name: str, model: Any, fitted: Fitted, **params: Any) -> Any:
    """Return a fitted classifier of scikit-learn.

    Parameters
    ----------
    name : str
        "SVC" or "NuSVC", a class of :mod:`sklearn.svm`.
    model : estimator
        Ours, whose parameters the twin takes.
    fitted : Fitted
        Where ours is.
    **params
        Parameters of the twin besides those that both have.
    """
    found = fitted.attributes
    classes = found["classes_"]
    # The first row of each class.
    some = np.unique(fitted.training.labels, return_index=True)[1]
    twin = _fitted_to(name, model, fitted, some, classes, params)
    sign = -1.0 if len(classes) == 2 else 1.0
    return _with_solution(twin, model, fitted, found["n_support_"], sign)


def sklearn_regressor(name: str, model: Any, fitted: Fitted, **params: Any) -> Any:
    """Return a fitted regressor of scikit-learn, as :func:`sklearn_classifier`."""
    some = np.arange(min(2, len(fitted.training)))
    twin = _fitted_to(name, model, fitted, some, np.zeros(len(some)), params)
    return _with_solution(twin, model, fitted, None)


def sklearn_one_class(model: Any, fitted: Fitted, **params: Any) -> Any:
    """Return a fitted one-class machine of scikit-learn, as :func:`sklearn_classifier`."""
    some = np.arange(min(2, len(fitted.training)))
    twin = _fitted_to("OneClassSVM", model, fitted, some, None, params)
    twin = _with_solution(twin, model, fitted, None)
    twin.offset_ = -twin._intercept_
    return twin


def sklearn_lasso(model: Any, fitted: Fitted) -> Any:
    """Return a fitted lasso of scikit-learn, as :func:`sklearn_classifier`."""
    from sklearn import linear_model

    twin = linear_model.Lasso(alpha=fitted.attributes["alpha_"], fit_intercept=model.fit_intercept)
    twin.coef_, twin.intercept_ = np.array(model.coef_), float(model.intercept_)
    twin.n_iter_, twin.dual_gap_ = model.n_iter_, 0.0
    _take_names(twin, model)
    return twin


def _fitted_to(
    name: str, model: Any, fitted: Fitted, some: NDArray[np.intp], y: Any, params: dict[str, Any]
) -> Any:
    """Return a model of scikit-learn that is fitted to a few rows."""
    from sklearn import svm

    kind, training = getattr(svm, name), fitted.training
    own = model.get_params(deep=False)
    known = kind().get_params(deep=False)
    shared = {one: own[one] for one in _SHARED if one in own and one in known}
    if training.kernel.name in ("rbf", "poly", "sigmoid"):
        shared["gamma"] = training.kernel.gamma
    X = np.eye(len(some)) if training.is_precomputed else training.X[some].copy()
    # Of so few rows no margin has the share 1, with which LIBSVM divides by zero.
    twin = kind(**shared, **{**params, **({"nu": 0.5} if "nu" in params else {})}).fit(X, y)
    return twin.set_params(**params)


def _with_solution(twin: Any, model: Any, fitted: Fitted, n_support: Any, sign: float = 1.0) -> Any:
    """Give a model of scikit-learn an exact solution; ``sign`` is that of what LIBSVM keeps."""
    training, found = fitted.training, fitted.attributes
    count = np.array(found["support_"]).size
    twin.support_ = np.array(found["support_"], dtype=np.int32)
    n_own = np.full_like(twin._n_support, count) if n_support is None else n_support
    twin._n_support = np.array(n_own, dtype=np.int32)
    dual = np.array(found["dual_coef_"], dtype=np.float64, order="C")
    intercept = np.array(found["intercept_"], dtype=np.float64)
    twin.dual_coef_, twin._dual_coef_ = (_layout(twin, part) for part in (dual, sign * dual))
    twin.intercept_, twin._intercept_ = intercept, sign * intercept
    if not (training.is_precomputed or callable(twin.kernel)):
        vectors = found["support_vectors_"]
        if issparse(vectors):
            twin.support_vectors_ = type(twin.support_vectors_)(vectors, copy=True)
        else:
            twin.support_vectors_ = np.array(vectors, dtype=np.float64, order="C")
    elif callable(twin.kernel):
        # scikit-learn evaluates the function at all training rows.
        twin._BaseLibSVM__Xfit = training.X
    twin.shape_fit_ = training.X.shape
    _take_names(twin, model)
    if "class_weight_" in found:
        twin.class_weight_ = np.array(found["class_weight_"])
    twin.n_iter_ = np.array(found["n_iter_"]) if np.ndim(found["n_iter_"]) else found["n_iter_"]
    return twin


def _layout(twin: Any, dual: NDArray[np.float64]) -> Any:
    """Return coefficients as scikit-learn keeps them: if sparse, with all entries stored."""
    like = twin.dual_coef_
    if not issparse(like):
        return dual.copy()
    n_rows, n_support = dual.shape
    if n_support == 0:
        return type(like)(np.empty((1, 0)))
    indices = np.tile(np.arange(n_support, dtype=np.int32), n_rows)
    edges = n_support * np.arange(n_rows + 1, dtype=np.int32)
    return type(like)((dual.ravel().copy(), indices, edges), shape=dual.shape)


def _take_names(twin: Any, model: Any) -> None:
    """Give a model of scikit-learn the number and names of the features of ours."""
    for name in ("n_features_in_", "feature_names_in_"):
        twin.__dict__.pop(name, None)
        if name in model.__dict__:
            setattr(twin, name, model.__dict__[name])
