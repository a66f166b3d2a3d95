"""Predictions as a table: labels or values, decision values, and columns that are copied."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["prediction_columns"]


def prediction_columns(model: Any, X: Any) -> dict[str, list[Any]]:
    """Return the columns of predictions of a fitted pipeline, by name.

    Parameters
    ----------
    model : Pipeline
        Fitted.
    X : pandas.DataFrame or matrix
        Raw rows.

    Returns
    -------
    dict
        Of a classifier ``prediction`` and ``decision:LABEL``, of two classes only that of the
        second, which is predicted where the value is positive; of a model of one class
        ``prediction`` (1 is normal, -1 is not) and ``decision``; of a ranking ``score``; of a
        regression ``prediction``.
    """
    estimator = model[-1]
    prepared = model[:-1].transform(X)
    predicted = estimator.predict(prepared)
    if type(estimator).__name__ == "RankingSVM":
        return {"score": predicted.tolist()}
    columns = {"prediction": predicted.tolist()}
    if not hasattr(estimator, "decision_function"):
        return columns
    values = np.asarray(estimator.decision_function(prepared))
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return columns | {"decision": values.tolist()}
    if values.ndim == 1:
        return columns | {f"decision:{classes[1]}": values.tolist()}
    named = zip(classes.tolist(), values.T, strict=True)
    return columns | {f"decision:{label}": column.tolist() for label, column in named}
