"""Everything needed to make a fitted estimator anywhere on a path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from weightpath.engine import State, center_bias

__all__ = ["Snapshot", "rebuild"]

# Attributes that a fit sets and a path does not change.
_CARRIED = ("n_features_in_", "feature_names_in_", "classes_", "class_weight_", "gamma_", "C_")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """An estimator's parameters, labels and quantities at both ends of a path."""

    estimator: object
    carried: dict
    labels: np.ndarray
    start: dict
    end: dict

    @classmethod
    def of(cls, estimator, labels, start, end, attributes) -> Snapshot:
        carried = {name: getattr(estimator, name) for name in _CARRIED if hasattr(estimator, name)}
        ends = {name: (carried.get(name), value) for name, value in attributes.items()}
        carried = {**carried, **{name: value for name, (_, value) in ends.items()}}
        return cls(clone(estimator), carried, labels, start, end)

    def to_params(self) -> dict:
        """Return everything as plain values and arrays, for saving."""
        carried = {name: value for name, value in self.carried.items() if name != "classes_"}
        return {
            "estimator": type(self.estimator).__name__,
            "params": self.estimator.get_params(deep=False),
            "carried": carried,
            "labels": np.asarray(self.labels),
            "start": dict(self.start),
            "end": dict(self.end),
        }

    def model_from(self, path, theta: float):
        """Return a fitted estimator at ``theta``."""
        model = clone(self.estimator)
        for name, value in self.carried.items():
            setattr(model, name, value)
        if path.classes is not None:
            model.classes_ = path.classes
        model._X, model._kernel, model._labels = path.X, path.kernel, self.labels
        model._pairs = path.pairs if path.pairs is not None else [(1, 0)]
        model._quantities = {
            name: (1.0 - theta) * self.start[name] + theta * self.end[name] for name in self.start
        }
        model._parts = tuple(_part_at(part, theta) for part in path.parts)
        model._publish()
        return model


def _part_at(part, theta: float):
    """Return one part of a path as an estimator holds it."""
    from weightpath.estimators.parts import Part

    stair = part.staircase(theta)
    beta, bias = part.beta(theta), part.bias(theta)
    residual = stair.target - part.response(beta) - bias * stair.has_bias
    position = np.asarray(part.position(theta), dtype=np.int32)
    margin = np.flatnonzero(position % 2 == 0).astype(np.intp)
    state = center_bias(stair, State(beta, bias, position, residual, margin))
    return Part(np.asarray(part.train_rows), part.reading, None, stair, state)


def rebuild(params: dict) -> Snapshot:
    """Return the snapshot that :meth:`Snapshot.to_params` has described."""
    from weightpath import estimators

    estimator = getattr(estimators, params["estimator"])(**params["params"])
    return Snapshot(
        estimator, dict(params["carried"]), params["labels"], params["start"], params["end"]
    )
