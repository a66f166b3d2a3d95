"""Paths of estimators and of scikit-learn pipelines whose last step is one."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from weightpath.path import Preparation, SolutionPath
from weightpath.path.preparation import last_step

__all__ = ["last_and_preparation", "last_step", "move", "path_to", "reweight"]


def last_and_preparation(model: Any) -> tuple[Any, Preparation | None]:
    """Return the estimator of a fitted pipeline and what its transformers do to raw rows.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted; an estimator that is no pipeline has no transformers.

    Returns
    -------
    estimator : estimator
        The last step itself, not a copy.
    preparation : Preparation or None
        The transformers, copied.
    """
    if not isinstance(model, Pipeline):
        return model, None
    check_is_fitted(model)
    return last_step(model), Preparation.of(model)


def reweight(model: Any, sample_weight: Any) -> SolutionPath:
    """Follow the exact path to new weights, of an estimator or of the last step of a pipeline.

    The model then sits at the new weights. The transformers of a pipeline stay as they were fitted,
    and the path takes raw rows everywhere: in ``path.curve(X, y, metric)``, in
    ``path.predict(X, theta)``. ``path.model_at(theta)`` is a fitted pipeline.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted: an estimator of this library, or a scikit-learn pipeline whose last step is one.
    sample_weight : array-like of shape (n_samples,)
        New weights of the training rows, not negative; of a :class:`~weightpath.Lasso` or a
        :class:`~weightpath.RankingSVM` what its own ``reweight`` takes.

    Returns
    -------
    SolutionPath
        All solutions between the old weights (theta = 0) and the new ones (theta = 1).

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> X = 100.0 + 20.0 * toy.X
    >>> pipe = make_pipeline(StandardScaler(), wp.SVC(C=10)).fit(X, toy.y)
    >>> path = wp.reweight(pipe, toy.w_new)
    >>> curve = path.curve(X, toy.y, "accuracy")
    >>> model = path.model_at(0.3)
    >>> type(model).__name__, bool(curve(0.3) == model.score(X, toy.y))
    ('Pipeline', True)
    """
    last, preparation = _moving(model, "reweight")
    return _on_raw_rows(last.reweight(sample_weight), preparation)


def move(model: Any, **destination: Any) -> SolutionPath:
    """Follow the exact path to new values, of an estimator or of the last step of a pipeline.

    As :func:`~weightpath.reweight`, for all that ``move`` of the estimator takes.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, as for :func:`~weightpath.reweight`; it then sits at the new values.
    **destination
        What ``move`` of the estimator takes, such as ``sample_weight`` or ``C``.

    Returns
    -------
    SolutionPath
        All solutions between the old values (theta = 0) and the new ones (theta = 1); it takes raw
        rows.
    """
    last, preparation = _moving(model, "move")
    return _on_raw_rows(last.move(**destination), preparation)


def path_to(model: Any, **destination: Any) -> SolutionPath:
    """Follow the exact path to new values; the model stays where it is.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, as for :func:`~weightpath.reweight`; it is left as it is.
    **destination
        What ``move`` of the estimator takes, such as ``sample_weight`` or ``C``.

    Returns
    -------
    SolutionPath
        The path of :func:`~weightpath.move`.
    """
    last, preparation = _moving(model, "path_to")
    return _on_raw_rows(last.path_to(**destination), preparation)


def _moving(model: Any, method: str) -> tuple[Any, Preparation | None]:
    """Return the estimator and the preparation of a model that has a method."""
    last = last_step(model)
    if not callable(getattr(last, method, None)) or isinstance(last, type):
        given = type(model).__name__
        if last is not model:
            given += f" that ends in {last if isinstance(last, str) else type(last).__name__}"
        hint = " Give its best_estimator_." if hasattr(last, "best_estimator_") else ""
        raise TypeError(
            f"{method} needs a fitted estimator of weightpath, such as SVC, or a scikit-learn "
            f"Pipeline whose last step is one; got a {given}.{hint}"
        )
    return last_and_preparation(model)


def _on_raw_rows(path: SolutionPath, preparation: Preparation | None) -> SolutionPath:
    return path if preparation is None else path.prepared_by(preparation)
