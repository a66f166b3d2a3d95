"""What the linear program machines share: a model that is moved along exact paths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import COMPLETE, STOPPED_AT_CAP
from weightpath.engine.simplex import Basis
from weightpath.engine.threads import single_blas
from weightpath.estimators.base import UNMOVED
from weightpath.estimators.checks import check_whole_number
from weightpath.estimators.gradient import Gradient
from weightpath.estimators.input_data import check_instances, is_precomputed
from weightpath.estimators.l1.l1_gradient import machine_gradient
from weightpath.estimators.l1.machine import FittedMachine, Machine
from weightpath.estimators.problem import Problem, Quantities, Trip
from weightpath.estimators.row_names import with_names
from weightpath.estimators.snapshot import FEATURES, Snapshot
from weightpath.estimators.training_set import TrainingSet
from weightpath.estimators.user_warnings import warn_event_cap, warn_inexact_program
from weightpath.frozen import freeze_all
from weightpath.path.programs import LinearProgramPath
from weightpath.path.programs.certificate import Point

__all__ = ["LinearProgramEstimator"]


class LinearProgramEstimator(BaseEstimator, ABC):
    """Base of the linear program machines. Every change is a path; see the leaves."""

    # The problem; what a saved path of the estimator describes.
    problem_type: ClassVar[type[Problem]]

    # A kernel matrix needs no ridge: its columns are taken as features, and may be anything.
    ridge: ClassVar[float] = 0.0

    max_events: int

    # What a fit sets: where the model is.
    _fitted: FittedMachine

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a public attribute of the solution; it is made when it is first read."""
            fitted = self.__dict__.get("_fitted")
            if fitted is not None and name[-1:] == "_" != name[0] and name not in FEATURES:
                attributes = fitted.attributes
                if name in attributes:
                    return attributes[name]
                if name == "coef_":
                    raise AttributeError(
                        'coef_ exists only with kernel="linear"; this kernel is '
                        f"{fitted.training.kernel.name}. See dual_coef_."
                    )
            # Raises that there is no such attribute.
            return object.__getattribute__(self, name)

    def __dir__(self) -> list[str]:
        fitted = self.__dict__.get("_fitted")
        return [*super().__dir__(), *([] if fitted is None else fitted.attributes)]

    # What layers above see of a fitted model -----------------------------------------------

    @property
    def training_set_(self) -> TrainingSet:
        """What the model was trained on: rows, labels, kernel."""
        return self._where().training

    @property
    def problem_(self) -> Any:
        """What the model minimises, but for the penalty."""
        return self._where().problem

    @property
    def quantities_(self) -> Mapping[str, NDArray[np.float64]]:
        """The quantities that the model sits at, by name."""
        return MappingProxyType(self._where().quantities)

    # Paths ---------------------------------------------------------------------------------

    def reweight(self, sample_weight: ArrayLike) -> LinearProgramPath:
        """Follow the exact path to new instance weights; the model then sits there.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,)
            New weights, not negative. Zero takes an instance out; it can come back.

        Returns
        -------
        LinearProgramPath
            All solutions between the old weights (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"sample_weight": sample_weight})

    def path_to(self, **destination: Any) -> LinearProgramPath:
        """Follow the exact path to new values, as ``move`` does, but stay where the model is.

        Parameters
        ----------
        **destination
            What ``move`` takes, such as ``sample_weight`` or ``C``.

        Returns
        -------
        LinearProgramPath
            The path of ``move``; the model at its end is ``path.model_at(1.0)``.
        """
        draft: Any = self._draft()
        path: LinearProgramPath = draft.move(**destination)
        return path

    # Certificates --------------------------------------------------------------------------

    def kkt_violation(self, relative: bool = True) -> float:
        """Return how far the model is from optimal, computed from the data.

        Parameters
        ----------
        relative : bool, default=True
            Relative to the largest target or level, and to the penalty of a coefficient; otherwise
            in the units of the target.

        Returns
        -------
        float
            See :meth:`weightpath.LinearProgramPath.kkt_violation`.
        """
        where = self._where()
        return max(
            where.judge(own).violation(own.program, own.point, relative) for own in where.machines
        )

    def objective(self) -> float:
        """Return the objective, computed from the data; the sum over pairs of classes."""
        where = self._where()
        return sum(where.judge(own).objective(own.program, own.point) for own in where.machines)

    def duality_gap(self, relative: bool = False) -> float:
        """Return the duality gap, computed from the data; relative to the objective if asked."""
        where = self._where()
        gap = sum(where.judge(own).duality_gap(own.program, own.point) for own in where.machines)
        value = self.objective() if relative else 0.0
        return gap / value if value > 0 else gap

    def gradient(self, X: Any, cotangent: ArrayLike) -> Gradient:
        """Return how a weighted sum of decision values moves with everything that can be moved.

        Between two breakpoints the function does not move with weights at all: these derivatives
        are exactly zero. With margins or targets, and half-widths of tubes, it does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.
        cotangent : array-like of the shape of the decision values
            What a change of each decision value (of a regression, prediction) costs.

        Returns
        -------
        Gradient
            As :meth:`weightpath.SVC.gradient` returns it.
        """
        fitted = self._where()
        shape = getattr(self, "decision_function_shape", "")
        return machine_gradient(fitted, shape, check_instances(self, X), cotangent)

    # Fits and changes ----------------------------------------------------------------------

    @abstractmethod
    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, Any, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""

    def _fit(self, X: Any, *data: Any) -> Self:
        """Fit a draft, which replaces the model if all goes well."""
        draft = self._draft()
        training, problem, quantities = draft._set_up(X, *data)
        training = with_names(training, X, data)
        problem.check(quantities, training.labels)
        with single_blas():
            draft._fitted = FittedMachine.solved(training, problem, quantities)
        self.__dict__ = draft.__dict__
        warn_inexact_program(self.kkt_violation())
        return self

    def _where(self) -> FittedMachine:
        """Return where the model is; raise unless it is fitted."""
        if "_fitted" not in self.__dict__:
            check_is_fitted(self)
        return self._fitted

    def _move(self, destination: Mapping[str, Any]) -> LinearProgramPath:
        """Follow the path to the values that a destination names."""
        named = {name: value for name, value in destination.items() if value is not UNMOVED}
        fitted = self._where()
        if not named:
            raise TypeError(f"move() needs something to move: {', '.join(fitted.problem.moves)}.")
        free = fitted.problem.may_be_none
        missing = [name for name, value in named.items() if value is None and name not in free]
        if missing:
            raise ValueError(f"{missing[0]} is None: give the value to move to, or leave it out.")
        problem, quantities = fitted.problem.plan_move(fitted, named)
        problem.check(quantities, fitted.training.labels)
        with single_blas():
            return self._follow(problem, quantities)

    def _follow(self, problem: Any, quantities: Quantities) -> LinearProgramPath:
        """Follow a path; if it reaches its end, the model then sits there."""
        start = self._fitted
        training, status = start.training, COMPLETE
        most = check_whole_number("max_events", self.max_events, 1)
        parts, arrived = [], []
        for machine in start.machines:
            end = start.program(machine, quantities)
            trace = machine.follow(training, end, most)
            part = machine.part(training, end, trace)
            parts.append(part)
            if trace.is_complete:
                arrived.append(machine.moved(part, trace.basis))
            else:
                status = STOPPED_AT_CAP
        trip: Any = Trip(start, problem, quantities)  # type: ignore[arg-type]
        path = LinearProgramPath(
            parts,
            training.X,
            training.kernel,
            classes=getattr(problem, "classes", None),
            pairs=[machine.pair for machine in start.machines] if len(parts) > 1 else None,
            status=status,
            template=Snapshot.of(self, trip),
        )
        if status == COMPLETE:
            there = FittedMachine(training, problem, quantities, tuple(arrived))
            self.__dict__ = {**self.__dict__, "_fitted": there}
            warn_inexact_program(self.kkt_violation())
        else:
            warn_event_cap(f"{STOPPED_AT_CAP.message} The model stays where it was.")
        return path

    @staticmethod
    def fitted_at(
        path: Any, theta: float, training: TrainingSet, problem: Any, quantities: Quantities
    ) -> FittedMachine:
        """Return where a model on a path is."""
        pairs = path.pairs or ((1, 0),)
        machines = []
        for part, pair in zip(path.parts, pairs, strict=True):
            rows = np.arange(training.X.shape[0]) if part.rows is None else part.rows
            basis, moment = Basis(*part.basis(theta)), part.moment(theta)
            point = Point(moment.w, moment.bias, moment.beta)
            machines.append(Machine(rows, part.reading, part.program(theta), basis, point, pair))
        return FittedMachine(training, problem, quantities, tuple(machines))

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the fitted functions at some instances."""
        X = check_instances(self, X)
        return self._fitted.values(X)

    def _draft(self) -> Self:
        """Return a copy to change; it shares what the model holds, which is only ever replaced."""
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        return draft

    def __copy__(self) -> Self:
        return self._draft()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        fitted = state.get("_fitted")
        if fitted is not None:
            # Unpickled arrays are writable, and paths will share these.
            freeze_all([fitted.training, fitted.problem, fitted.quantities])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
