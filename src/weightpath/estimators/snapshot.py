"""Everything needed to make a fitted estimator anywhere on a path."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightpath.engine import State
from weightpath.estimators.parts import Part
from weightpath.frozen import freeze_all
from weightpath.problems.position import is_free

__all__ = ["Snapshot", "rebuild"]


# Names of the parameters of each class: reading a signature takes its time.
_PARAMETERS: dict[Any, list[str]] = {}


def _parameters(kind: Any) -> list[str]:
    if kind not in _PARAMETERS:
        _PARAMETERS[kind] = kind._get_param_names()
    return _PARAMETERS[kind]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An estimator's parameters, labels and quantities at both ends of a path.

    Attributes
    ----------
    kind : type
        The class of the estimator.
    params : dict
        Its parameters.
    fixed : dict
        Fitted attributes that stay on the path.
    lines : dict
        Fitted attributes at both ends of the path, as pairs; in between they are on a line.
    labels : ndarray of shape (n_samples,)
        Class indices.
    start, end : dict
        The quantities at both ends.
    """

    kind: Any
    params: dict
    fixed: dict
    lines: dict
    labels: np.ndarray
    start: dict
    end: dict

    @classmethod
    def of(cls, estimator, labels, start: dict, end: dict, attributes: dict) -> Snapshot:
        """Take a snapshot of an estimator that travels; ``attributes`` change on the way."""
        fixed = {
            name: getattr(estimator, name) for name in estimator._fixed if hasattr(estimator, name)
        }
        lines = {}
        for name in estimator._lines:
            here = getattr(estimator, name)
            lines[name] = (here, attributes.get(name, here))
        params = {name: copy(getattr(estimator, name)) for name in _parameters(type(estimator))}
        # The estimator goes on with these arrays.
        freeze_all([fixed, lines, labels, start, end])
        return cls(type(estimator), params, fixed, lines, labels, start, end)

    def to_params(self) -> dict:
        """Return everything as plain values and arrays, for saving."""
        return {
            "estimator": self.kind.__name__,
            "params": self.params,
            "fixed": self.fixed,
            "lines": self.lines,
            "labels": np.asarray(self.labels),
            "start": dict(self.start),
            "end": dict(self.end),
        }

    def model_from(self, path, theta: float):
        """Return a fitted estimator at ``theta``."""
        model = self.kind(**{name: copy(value) for name, value in self.params.items()})
        model.__dict__.update(self.fixed)
        for name, (start, end) in self.lines.items():
            setattr(model, name, (1.0 - theta) * start + theta * end)
        if path.classes is not None:
            model.classes_ = path.classes
        model._X, model._kernel, model._labels = path.X, path.kernel, self.labels
        model.n_features_in_ = path.X.shape[1]
        if len(self.fixed.get("feature_names_in_", ())) != model.n_features_in_:
            # Those of a precomputed kernel, whose columns came and went with the rows.
            model.__dict__.pop("feature_names_in_", None)
        model._pairs = list(path.pairs) if path.pairs is not None else [(1, 0)]
        model._quantities = self.kind._between(self.start, self.end, theta)
        model._parts = tuple(_part_at(part, theta) for part in path.parts)
        model._publish()
        return model


class StoredSnapshot(Snapshot):
    """A snapshot from a file, which may say anything."""

    def model_from(self, path, theta: float):
        """Return a fitted estimator at ``theta``."""
        try:
            return super().model_from(path, theta)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(_unsound(self.kind.__name__)) from error


def _unsound(name: str) -> str:
    return (
        f"The path has no sound description of its {name}, as in a damaged file; its solutions can "
        "be read, but no model can be made."
    )


def _part_at(part, theta: float) -> Part:
    """Return one part of a path as an estimator holds it."""
    stair, moment = part.staircase(theta), part.moment(theta)
    residual = stair.target - part.response(moment.beta) - moment.bias * stair.has_bias
    position = np.array(moment.position, dtype=np.int32)
    margin = np.flatnonzero(is_free(position)).astype(np.intp)
    state = State(np.array(moment.beta), moment.bias, position, residual, margin)
    return Part(np.asarray(part.train_rows), part.reading, None, stair, state)


def rebuild(params: dict) -> Snapshot:
    """Return the snapshot that :meth:`Snapshot.to_params` has described."""
    from weightpath import estimators

    name = params.get("estimator")
    if name is None:
        raise ValueError(
            "The path was saved without an estimator (as one on which rows switch labels, which no "
            "model can hold): it has solutions everywhere, path.at(theta), but no models."
        )
    if not isinstance(name, str) or name not in estimators.ESTIMATORS:
        raise ValueError(
            f"The path belongs to {name!r}, which is not an estimator of weightpath; its solutions "
            "can be read, but no model can be made."
        )
    kind = getattr(estimators, name)
    if not _fits(kind, params):
        raise ValueError(_unsound(name))
    names = ("params", "fixed", "lines", "labels", "start", "end")
    return StoredSnapshot(kind, *(params[name] for name in names))


def _fits(kind: Any, params: dict) -> bool:
    """Whether a description, which may come from a file, is one of this kind of estimator."""
    known = {"params": _parameters(kind), "fixed": kind._fixed, "lines": kind._lines}
    for name, names in known.items():
        if not isinstance(params.get(name), dict) or not set(params[name]) <= set(names):
            return False
    start, end = params.get("start"), params.get("end")
    if not (isinstance(start, dict) and isinstance(end, dict) and set(start) == set(end)):
        return False
    values = [params.get("labels"), *start.values(), *end.values()]
    if not all(isinstance(array, np.ndarray) and array.ndim == 1 for array in values):
        return False
    pairs = params["lines"].values()
    return all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs)
