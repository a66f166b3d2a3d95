"""Fits of pipelines whose last step gets more than the transformers, such as weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

__all__ = ["fit_last_step"]


def fit_last_step(
    model: Any, X: Any, y: Any, own: Mapping[str, Any], params: Mapping[str, Any]
) -> Any:
    """Fit an estimator, or all steps of a pipeline, in place; return it.

    Parameters
    ----------
    model : estimator or Pipeline
        Not fitted.
    X, y
        The (raw) rows, and their labels or values.
    own : mapping
        What ``fit`` of the estimator at the end gets, and no transformer.
    params : mapping
        What ``fit`` gets besides. Of a pipeline, ``step__name`` is for that step, and a plain name
        for the last; with scikit-learn's metadata routing, for the steps that request it.
    """
    if not isinstance(model, Pipeline):
        return model.fit(X, y, **params, **own)
    name, last = model.steps[-1]
    # A pipeline of the transformers caches their fits as the whole one does.
    transformers = model[:-1]
    before, after = _split(transformers, name, last, params)
    if transformers.steps:
        X = transformers.fit_transform(X, y, **before)
    model.steps = [*transformers.steps, (name, fit_last_step(last, X, y, own, after))]
    return model


def _split(
    transformers: Pipeline, name: str, last: Any, params: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the transformers get, and what the last step gets."""
    if get_config()["enable_metadata_routing"]:
        wanted = [
            get_routing_for_object(one).consumes(method, list(params))
            for one, method in ((transformers, "fit_transform"), (last, "fit"))
            if params
        ] or [set(), set()]
        before, after = ({key: params[key] for key in keys} for keys in wanted)
        return before, after
    before, after = {}, {}
    for key, value in params.items():
        step, found, rest = key.partition("__")
        if found and step != name:
            before[key] = value
        else:
            after[rest if found else key] = value
    return before, after
