"""A fitted linear program machine: its programs, their bases, and how they follow a path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.simplex import Basis, Design, ProgramTrace, follow_program, solve_program
from weightpath.estimators.problem import Quantities
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.path import Reading
from weightpath.path.programs import ProgramPart, columns_of
from weightpath.path.programs.certificate import Judge, Point
from weightpath.problems.program import Program

__all__ = ["FittedMachine", "Machine"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Machine:
    """One linear program on some training rows, solved; it is never changed.

    Attributes
    ----------
    rows : ndarray of int
        The training rows.
    reading : Reading
        What positions and knots mean.
    program : Program
    basis : Basis
        An optimal one.
    point : Point
        The solution.
    pair : (int, int)
        The classes that it separates, as indices: the positive one, the negative one.
    design : Design or None
        The columns; ``None`` after unpickling, and on paths, until they are needed.
    """

    rows: Rows
    reading: Reading
    program: Program
    basis: Basis
    point: Point
    pair: tuple[int, int] = (1, 0)
    design: Design | None = None

    def __repr__(self) -> str:
        return f"<Machine: {len(self.rows)} rows, {len(self.basis.columns)} coefficients>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "design": None}

    def follow(self, training: TrainingSet, end: Program, max_events: int) -> ProgramTrace:
        """Follow the line to another program."""
        design = self.design or Design(matrix_of(training, self.rows))
        return follow_program(design, self.program, end, self.basis, max_events)

    def moved(self, part: ProgramPart, basis: Basis) -> Machine:
        """Return the machine at the end of its path."""
        return replace(self, program=part.end, basis=basis, point=part.point(1.0, "left"))

    def part(self, training: TrainingSet, end: Program, trace: ProgramTrace) -> ProgramPart:
        """Return the path in a form that needs no engine."""
        rows = None if training.has_only(self.rows) else self.rows
        if rows is not None:
            rows.setflags(write=False)
        return ProgramPart(
            training.kernel, training.X, rows, self.program, end, trace.record, self.reading
        )


def matrix_of(training: TrainingSet, rows: Rows) -> Any:
    """Return the columns of a program: features, or kernel values; raise where they overflow."""
    own = None if training.has_only(rows) else rows
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = columns_of(training.kernel, training.X, own)
    if training.kernel.name != "linear" and not np.isfinite(matrix).all():
        raise ValueError(
            f"The {training.kernel.name} kernel overflows on this data. Scale the features, for "
            "instance by sklearn.preprocessing.StandardScaler."
        )
    return matrix


@dataclass(frozen=True, eq=False)
class FittedMachine:
    """Where a model is: everything that it was trained on, and its solutions.

    Attributes
    ----------
    training : TrainingSet
    problem : HingeProblem or TubeProblem
        What is minimised, but for the penalty.
    quantities : dict
        The quantities by name.
    machines : tuple of Machine
        One, or one for each pair of classes.
    """

    training: TrainingSet
    problem: Any
    quantities: Quantities
    machines: tuple[Machine, ...]

    def __post_init__(self) -> None:
        # Models and paths share them.
        for values in self.quantities.values():
            values.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @classmethod
    def solved(cls, training: TrainingSet, problem: Any, quantities: Quantities) -> FittedMachine:
        """Return the solution for a training set."""
        machines = []
        for pair in problem.pairs:
            rows = problem.rows_of_pair(pair, training.labels)
            reading = problem.reading(rows, pair, training.labels)
            stair = problem.staircase(training, rows, reading, quantities)
            matrix = matrix_of(training, rows)
            design = Design(matrix)
            program = Program(stair, np.ones(design.shape[1]))
            basis = solve_program(design, program)
            point = Point(*basis.solution(design, program))
            machines.append(Machine(rows, reading, program, basis, point, pair, design))
        return cls(training, problem, quantities, tuple(machines))

    def program(self, machine: Machine, quantities: Quantities) -> Program:
        """Return the program of one machine at other quantities."""
        training, penalty = self.training, machine.program.penalty
        stair = self.problem.staircase(training, machine.rows, machine.reading, quantities)
        return Program(stair, penalty)

    def judge(self, machine: Machine) -> Judge:
        """Return what judges a machine from the data."""
        return Judge(matrix_of(self.training, machine.rows))

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The public attributes of a model there; made when first read."""
        problem, training = self.problem, self.training
        found: dict[str, Any] = {
            "intercept_": np.array([machine.point.bias for machine in self.machines]),
            "gamma_": training.kernel.gamma,
            "n_iter_": 1,
            **{name: getattr(problem, own) for name, own in problem.lines.items()},
            **{name: self.quantities[own] for name, own in problem.shown.items()},
        }
        if hasattr(problem, "classes"):
            found["classes_"] = problem.classes
        coef = self._coefficients()
        if training.kernel.name == "linear":
            return {**found, "coef_": coef}
        support = np.flatnonzero(coef.any(axis=0)).astype(np.int32)
        precomputed = training.kernel.name == "precomputed"
        found["support_"], found["dual_coef_"] = support, coef[:, support]
        found["support_vectors_"] = np.empty((0, 0)) if precomputed else training.X[support]
        return found

    def _coefficients(self) -> Reals:
        """Return the coefficients of all functions, over features or over training rows."""
        training = self.training
        linear = training.kernel.name == "linear"
        coef = np.zeros((len(self.machines), training.X.shape[1] if linear else len(training)))
        for k, machine in enumerate(self.machines):
            coef[k, slice(None) if linear else machine.rows] = machine.point.w
        return coef

    def values(self, X: Any) -> Reals:
        """Return the values of all functions, of shape (n, n_functions)."""
        found, kernel = self.attributes, self.training.kernel
        if kernel.name == "linear":
            return np.asarray(X @ found["coef_"].T + found["intercept_"])
        support, coef = found["support_"], found["dual_coef_"].T
        if support.size == 0:
            return np.tile(found["intercept_"], (X.shape[0], 1))
        if kernel.name == "precomputed":
            return np.asarray(X[:, support] @ coef + found["intercept_"])
        values = kernel.product(X, found["support_vectors_"], coef) + found["intercept_"]
        return np.asarray(values)
