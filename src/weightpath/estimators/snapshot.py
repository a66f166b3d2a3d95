"""Everything needed to make a fitted estimator anywhere on a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from weightpath.engine import State
from weightpath.estimators.problem import Fitted, Problem, Quantities, Trip
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.frozen import freeze_all, quick_init
from weightpath.kernels import Kernel
from weightpath.path import PathPart, SolutionPath
from weightpath.path.moment import Moment
from weightpath.path.rows import KernelRows, Rows
from weightpath.problems import Staircase
from weightpath.problems.position import is_free

if TYPE_CHECKING:
    from weightpath.estimators.base import PathEstimator

__all__ = ["FEATURES", "Snapshot", "has_fixed_parameters", "parameters", "reader", "rebuild"]

# Values of parameters that cannot change, so that a snapshot needs no copy of them.
_NUMPY = {np.bool_, np.int32, np.int64, np.float32, np.float64, np.str_}
_FIXED = frozenset({bool, int, float, str, type(None)} | _NUMPY)

# Fitted attributes of all estimators that a saved path holds, besides those of the problem.
FEATURES = ("n_features_in_", "feature_names_in_")
_COMMON = (*FEATURES, "gamma_", "_ridge")


@cache
def parameters(kind: type[BaseEstimator]) -> tuple[str, ...]:
    """Return the names of the parameters of a class; cached, as reading a signature is slow."""
    return tuple(kind._get_param_names())


@cache
def reader(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what reads these entries of a mapping, several, at once."""
    return itemgetter(*names)


def has_fixed_parameters(model: PathEstimator) -> bool:
    """Whether no parameter of an estimator can change by itself, as a list could."""
    return _FIXED.issuperset(map(type, reader(parameters(type(model)))(model.__dict__)))


@quick_init
@dataclass(frozen=True, eq=False)
class Snapshot:
    """An estimator's parameters, and what it is at both ends of a path.

    Attributes
    ----------
    kind : type
        The class of the estimator.
    params : dict
        Its parameters.
    features : dict
        What it knows of the features: their number and, perhaps, names.
    training : TrainingSet
        The training set, with all arrivals.
    problems : (Problem, Problem)
        The problem at both ends.
    start, end : dict
        The quantities at both ends.
    """

    kind: type[PathEstimator]
    params: dict[str, Any]
    features: dict[str, Any]
    training: TrainingSet
    problems: tuple[Problem, Problem]
    start: Quantities
    end: Quantities

    @classmethod
    def of(cls, model: PathEstimator, trip: Trip) -> Snapshot:
        """Take a snapshot of an estimator that is moved."""
        start = trip.start
        known = model.__dict__
        features = {name: known[name] for name in FEATURES if name in known}
        # The estimator goes on with these arrays, and with those of the trip.
        if len(features) > 1:
            freeze_all(features)
        for values in trip.quantities.values():
            values.setflags(write=False)
        names = parameters(type(model))
        given = reader(names)(known)
        if not _FIXED.issuperset(map(type, given)):
            given = tuple(value if type(value) in _FIXED else copy(value) for value in given)
        return cls(
            type(model),
            dict(zip(names, given, strict=True)),
            features,
            start.training,
            (start.problem, trip.problem),
            start.quantities,
            trip.quantities,
        )

    def to_params(self) -> dict[str, Any]:
        """Return everything as plain values and arrays, for saving."""
        here, there = self.problems
        ends = dict(here.lines)
        for name, own in here.fixed.items():
            if getattr(here, own) != getattr(there, own):
                ends[name] = own
        fixed = {**self.features, "_ridge": self.training.ridge}
        fixed.update({name: getattr(here, own) for name, own in here.fixed.items()})
        fixed.update({name: self.training.per_row[own] for name, own in here.per_row.items()})
        return {
            "estimator": self.kind.__name__,
            "params": {
                name: value
                for name, value in self.params.items()
                # It has no effect, and a generator cannot be saved.
                if name != "random_state" or value is None or isinstance(value, int)
            },
            "fixed": fixed,
            "lines": {
                name: (getattr(here, own), getattr(there, own)) for name, own in ends.items()
            },
            "labels": self.training.labels,
            "start": dict(self.start),
            "end": dict(self.end),
        }

    @classmethod
    def from_params(cls, kind: type[PathEstimator], params: Any, path: SolutionPath) -> Snapshot:
        """Return the snapshot that :meth:`to_params` has described, of a path."""
        fixed, lines, labels = params["fixed"], params["lines"], params["labels"]
        problem = kind.problem_type
        per_row = {own: np.asarray(fixed[name]) for name, own in problem.per_row.items()}
        stays = {own: fixed[name] for name, own in problem.fixed.items()}
        named = {**problem.lines, **{k: own for k, own in problem.fixed.items() if k in lines}}
        ends = (
            problem.restored(
                {**stays, **{own: lines[name][k] for name, own in named.items()}},
                labels,
                per_row,
                path.classes,
            )
            for k in (0, 1)
        )
        features = {name: fixed[name] for name in FEATURES if name in fixed}
        ridge = float(fixed.get("_ridge", 0.0))
        training = TrainingSet(path.X, path.kernel, labels, ridge, per_row)
        own = {name: params[name] for name in ("start", "end")}
        return cls(
            kind,
            params["params"],
            features,
            training,
            (next(ends), next(ends)),
            **own,
        )

    def model_from(self, path: SolutionPath, theta: float) -> PathEstimator:
        """Return a fitted estimator at ``theta``."""
        here, there = self.problems
        model = self.kind(**{name: copy(value) for name, value in self.params.items()})
        model.__dict__.update(self.features, n_features_in_=path.X.shape[1])
        if len(self.features.get("feature_names_in_", ())) != path.X.shape[1]:
            # Those of a precomputed kernel, whose columns came and went with the rows.
            model.__dict__.pop("feature_names_in_", None)
        quantities = here.quantities_between(self.start, self.end, theta)
        problem = here if here is there else here.between(there, theta, quantities)
        # Linear program machines have other solutions on their paths.
        fitted_at = getattr(self.kind, "fitted_at", _fitted_at)
        model._fitted = fitted_at(path, theta, self.training, problem, quantities)
        return model


@dataclass(frozen=True)
class StoredSnapshot:
    """The description of an estimator in a file, not yet checked.

    Attributes
    ----------
    kind : type
        The class of the estimator.
    params : dict
        What the file says.
    """

    kind: type[PathEstimator]
    params: dict[str, Any]

    def model_from(self, path: Any, theta: float) -> PathEstimator:
        """Return a fitted estimator at ``theta``."""
        try:
            model = Snapshot.from_params(self.kind, self.params, path).model_from(path, theta)
            # What does not fit together is found now, and not when an attribute is read.
            _ = model._fitted.attributes
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(_unsound(self.kind.__name__)) from error
        return model


def _unsound(name: str) -> str:
    return (
        f"The path has no sound description of its {name}, as in a damaged file; its solutions can "
        "be read, but no model can be made."
    )


def _fitted_at(
    path: SolutionPath, theta: float, training: TrainingSet, problem: Problem, own: Quantities
) -> Fitted:
    """Return where a model on a path is."""
    pairs = path.pairs or ((1, 0),)
    subproblems = tuple(
        _subproblem_at(part, theta, pair) for part, pair in zip(path.parts, pairs, strict=True)
    )
    return Fitted(training, problem, own, subproblems)


def _subproblem_at(part: PathPart, theta: float, pair: tuple[int, int]) -> Subproblem:
    """Return one piece of a path as an estimator holds it."""
    stair, moment = part.staircase(theta), part.moment(theta)
    position = moment.position.astype(np.int32, copy=False)
    rows = np.arange(len(position)) if part.rows is None else part.rows
    # The model does not hold the path, which may be long, until then.
    residual = partial(
        _residual, stair, moment, part.kernel, part.X, part.ridge, part.evaluation, part.rows
    )
    margin = np.flatnonzero(is_free(position))
    state = State.with_late_residual(moment.beta, moment.bias, position, residual, margin)
    return Subproblem(rows, part.reading, None, stair, state, pair)


def _residual(
    stair: Staircase,
    moment: Moment,
    kernel: Kernel,
    X: Any,
    ridge: float,
    evaluation: Rows | None,
    index: NDArray[np.intp] | None,
) -> NDArray[np.float64]:
    """Return the residuals of a solution, from the data."""
    rows, beta = evaluation or KernelRows(kernel, index), moment.beta
    response = rows.own_product(kernel, rows.train(X), beta) + ridge * beta
    residual: NDArray[np.float64] = stair.target - response - moment.bias * stair.has_bias
    return residual


def rebuild(params: dict[str, Any]) -> StoredSnapshot:
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
    return StoredSnapshot(kind, params)


def _fits(kind: type[PathEstimator], params: dict[str, Any]) -> bool:
    """Whether a description, which may come from a file, is one of this kind of estimator."""
    problem = kind.problem_type
    known = {
        "params": parameters(kind),
        "fixed": (*_COMMON, *problem.fixed, *problem.per_row),
        "lines": (*problem.lines, *problem.fixed),
    }
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
