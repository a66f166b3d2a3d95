"""What an estimator minimises: from quantities to staircases, and which quantities can move.

A *quantity* is an array of numbers that a model can be moved in: the weights of instances, their
margins or targets. A :class:`Problem` holds what is the same for all instances (C, the factors of
classes) and knows what the quantities mean. A model is fitted at a training set, a problem,
quantities and the solutions of the staircases that they define: a :class:`Fitted`. Every change of
a model is a :class:`Trip` from one to another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options
from weightpath.engine.adjoint import Slopes
from weightpath.engine.trace import Trace
from weightpath.estimators.checks import check_cotangent, check_number, products
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, Staying, TrainingSet
from weightpath.frozen import quick_init
from weightpath.kernels import Columns
from weightpath.path import Reading
from weightpath.problems import Staircase
from weightpath.problems.staircase import mix

__all__ = [
    "COLUMN_SHARE",
    "WEIGHTS_COME_LATER",
    "Arrivals",
    "Effort",
    "Fitted",
    "Functional",
    "Judgement",
    "Problem",
    "Quantities",
    "Trip",
    "Values",
    "move_trade_off",
]

Quantities = dict[str, NDArray[np.float64]]

# The values of all fitted functions at some instances, (n, n_functions).
Values = Callable[[Any], NDArray[np.float64]]

# The fraction of ``cache_size`` for kernel columns. The rest is for what else a path needs: a
# buffer for columns that are used once, the margin system, the growing record.
COLUMN_SHARE = 0.8


class Effort(NamedTuple):
    """What a first solution may cost.

    Attributes
    ----------
    tol : float
        Tolerance of the approximate solution to start from.
    cache_mb : float
        Memory for kernel columns and for what is needed besides.
    verbose : int
        Whether to show progress.
    """

    tol: float
    cache_mb: float
    verbose: int = 0


class Arrivals(NamedTuple):
    """New instances, checked.

    Attributes
    ----------
    X : ndarray or CSR matrix
        The instances.
    labels : ndarray
        Their labels, as in the training set.
    quantities : dict
        Their quantities.
    per_row : dict
        What else belongs to each, as in the training set.
    weight_rule : object
        How the pairs of ranked documents get their weights; not used elsewhere.
    """

    X: Any
    labels: NDArray[Any]
    quantities: Quantities
    per_row: dict[str, NDArray[Any]]
    weight_rule: Any = None


# What is given with arrivals whose weights come later, with those of all other rows.
WEIGHTS_COME_LATER: Mapping[str, Any] = MappingProxyType({"sample_weight": 0.0})


class Judgement(NamedTuple):
    """How training instances fare under given decision values, such as those without them.

    Attributes
    ----------
    predictions : ndarray of shape (n,)
        What is predicted: a label, a value, or 1 (inlier) and -1 (outlier).
    losses : ndarray of shape (n,)
        The loss of each, as the problem has it.
    error : float
        The share of wrong labels of a classifier, else the mean loss.
    """

    predictions: NDArray[Any]
    losses: NDArray[np.float64]
    error: float


class Functional(NamedTuple):
    """A linear function of the solution of a subproblem.

    Attributes
    ----------
    cost : ndarray of shape (n_rows,)
        What a change of each coefficient costs; zero where it is not needed.
    on_bias : float
        What a change of the bias costs.
    """

    cost: NDArray[np.float64]
    on_bias: float


@quick_init
@dataclass(frozen=True, eq=False)
class Fitted:
    """Where a model is: everything that it was trained on, and its solution.

    Attributes
    ----------
    training : TrainingSet
        Rows, labels and kernel.
    problem : Problem
        What is minimised.
    quantities : dict
        The quantities by name.
    subproblems : tuple of Subproblem
        The staircase problems that these define, solved.
    """

    training: TrainingSet
    problem: Problem
    quantities: Quantities
    subproblems: tuple[Subproblem, ...]

    def __post_init__(self) -> None:
        # Models and paths share them.
        for values in self.quantities.values():
            values.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The public attributes of a model there, and its expansion; made when first read."""
        shown = self.problem.shown.items()
        return {
            **self.problem.attributes(self),
            **{name: self.quantities[quantity] for name, quantity in shown},
        }

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all fitted functions at checked instances."""
        values: NDArray[np.float64] = self.attributes["_expansion"].values(X)
        return values

    def with_columns(self, cache_size: float) -> Fitted:
        """Return the same with new columns."""
        share = COLUMN_SHARE * check_number("cache_size", cache_size) / len(self.subproblems)
        subproblems = tuple(
            replace(subproblem, columns=self.problem.columns(self.training, subproblem.rows, share))
            for subproblem in self.subproblems
        )
        return replace(self, subproblems=subproblems)


@quick_init
@dataclass(frozen=True, eq=False)
class Trip:
    """A change of a model: where it starts, and the problem and quantities at its end.

    Attributes
    ----------
    start : Fitted
        Where the path begins: with all arrivals, at zero weight.
    problem : Problem
        The problem at the end of the path.
    quantities : dict
        The quantities at the end of the path.
    stays : ndarray of bool, slice or None
        Which rows are left afterwards; ``None`` where all are.
    stair : Staircase or None
        The staircases at the end, if there is one subproblem and they are known.
    """

    start: Fitted
    problem: Problem
    quantities: Quantities
    stays: Staying | None = None
    stair: Staircase | None = None


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """What is minimised; see the module's text. It is never changed, only replaced."""

    # The quantities that ``move`` takes, by the names that users know.
    moves: ClassVar[tuple[str, ...]] = ()
    # Those of them for which None is a value.
    may_be_none: ClassVar[tuple[str, ...]] = ()
    # Public attributes that show a quantity, by the name of the quantity.
    shown: ClassVar[dict[str, str]] = {}
    # Fields that go from one value to another on a path, fields that stay or change only at an end,
    # and what the training set holds per row: each by the name that a saved path has for it.
    lines: ClassVar[dict[str, str]] = {}
    fixed: ClassVar[dict[str, str]] = {}
    # Of the quantities that a gradient names: those that move the target or level of a single row,
    # and those that can move the sum of the knots away from the total.
    row_by_row: ClassVar[tuple[str, ...]] = ()
    unbalancing: ClassVar[tuple[str, ...]] = ()
    per_row: ClassVar[dict[str, str]] = {}

    def __post_init__(self) -> None:
        for own in fields(self):
            values = getattr(self, own.name)
            if isinstance(values, np.ndarray):
                values.setflags(write=False)

    @classmethod
    def restored(
        cls,
        values: dict[str, Any],
        labels: NDArray[Any],
        per_row: Mapping[str, NDArray[Any]],
        classes: NDArray[Any] | None,
    ) -> Self:
        """Return the problem that a saved path describes by the values of its fields."""
        return cls(**values)

    # Mathematics ---------------------------------------------------------------------------

    @abstractmethod
    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the staircase of one subproblem."""

    @abstractmethod
    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise if no model exists at these quantities."""

    @abstractmethod
    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[Problem, Quantities]:
        """Return the problem and the quantities that ``destination`` asks for."""

    def quantities_between(self, start: Quantities, end: Quantities, theta: float) -> Quantities:
        """Return the quantities at ``theta`` on a path."""
        return {
            name: values if values is end[name] else mix(values, end[name], theta)
            for name, values in start.items()
        }

    def between(self, end: Self, theta: float, quantities: Quantities) -> Self:
        """Return the problem at ``theta`` on a path to ``end``, where the quantities are these."""
        changed = {
            name: (1.0 - theta) * getattr(self, name) + theta * getattr(end, name)
            for name in self.lines.values()
        }
        return replace(self, **changed) if changed else self

    def follow(
        self, training: TrainingSet, start: Subproblem, end: Staircase, options: Options
    ) -> tuple[Subproblem, Trace]:
        """Follow a path from a subproblem to ``end``; return where it leads, and the path.

        Parameters
        ----------
        training : TrainingSet
            The training set.
        start : Subproblem
            Where the path begins.
        end : Staircase
            The staircases at its end.
        options : Options
            How paths are followed.
        """
        return start.follow(end, options)

    def arrival(self, training: TrainingSet, there: Subproblem, end: Quantities) -> Subproblem:
        """Return where a path has led; another solution there where it is not unique.

        Parameters
        ----------
        training : TrainingSet
            The training set.
        there : Subproblem
            Where the path has led.
        end : dict
            The quantities there.
        """
        return there

    def course(
        self, start: Fitted, subproblem: Subproblem, end: Quantities
    ) -> tuple[Subproblem, Staircase, Any]:
        """Return how one subproblem goes to other quantities.

        Returns
        -------
        subproblem : Subproblem
            In the form in which it can go there.
        stair : Staircase
            The problem at the end.
        evaluation : FeatureRows, PairRows or None
            How coefficients are evaluated on the path; ``None`` for kernel sums over rows.
        """
        stair = self.staircase(start.training, subproblem.rows, subproblem.reading, end)
        return subproblem, stair, None

    @abstractmethod
    def response(
        self, training: TrainingSet, subproblem: Subproblem
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the kernel matrix of a subproblem times its coefficients, and its diagonal.

        Both are computed from the data, for the certificate.
        """

    def judge(
        self,
        fitted: Fitted,
        index: NDArray[np.intp],
        values: NDArray[np.float64],
        break_ties: bool = False,
    ) -> Judgement:
        """Return how some training instances fare under decision values.

        Parameters
        ----------
        fitted : Fitted
            Where the model is.
        index : ndarray of int, shape (n,)
            The instances.
        values : ndarray of shape (n, n_subproblems)
            Their decision values.
        break_ties : bool, default=False
            Whether equal votes of several classes are decided by the decision values.
        """
        raise TypeError(f"{type(self).__name__} has no loss of single instances.")

    # Gradients -----------------------------------------------------------------------------

    def per_function(
        self, values: Values, shape: str, X: Any, cotangent: Any
    ) -> NDArray[np.float64]:
        """Return what a change of each fitted function at some instances costs, checked.

        Parameters
        ----------
        values : callable
            What evaluates the fitted functions at instances.
        shape : str
            The ``decision_function_shape`` of the estimator, where it has one.
        X : ndarray or CSR matrix
            The instances, checked.
        cotangent : array-like
            What a change of each decision value costs.

        Returns
        -------
        ndarray of shape (n, n_functions)
        """
        return check_cotangent(cotangent, (X.shape[0],))[:, None]

    @abstractmethod
    def functional(
        self,
        training: TrainingSet,
        subproblem: Subproblem,
        X: Any,
        cotangent: NDArray[np.float64],
        felt: Rows,
    ) -> Functional:
        """Return the sum of cotangents times values as a function of coefficients and bias.

        Parameters
        ----------
        training : TrainingSet
            The training set.
        subproblem : Subproblem
            The subproblem, whose function is evaluated.
        X : ndarray or CSR matrix
            Where.
        cotangent : ndarray of shape (n,)
            What a change of each value costs.
        felt : ndarray of int
            The rows of the subproblem whose entries are needed.
        """

    @abstractmethod
    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives with respect to what users move, by name.

        Parameters
        ----------
        fitted : Fitted
            Where the model is.
        functionals : sequence of Functional
            What is differentiated, for each subproblem.
        slopes : sequence of Slopes
            Its derivatives with respect to the staircases of each subproblem.
        """

    # Solutions -----------------------------------------------------------------------------

    @abstractmethod
    def columns(self, training: TrainingSet, rows: Rows, cache_mb: float) -> Columns:
        """Return the columns of the matrix of one subproblem."""

    @abstractmethod
    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes of a fitted model, and its expansion."""

    # Coming and going of rows --------------------------------------------------------------

    @abstractmethod
    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check what belongs to new instances; ``given`` are the options of ``add`` by name."""

    @abstractmethod
    def exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: Staying,
        final: Any,
        cache_mb: float,
    ) -> Trip:
        """Return the trip on which rows come and go.

        Parameters
        ----------
        fitted : Fitted
            Where the model is.
        arrivals : Arrivals or None
            New instances.
        keep : ndarray of bool or slice
            Which of the present ones stay; a slice if the first ones go.
        final : array-like or None
            Weights of all that are there afterwards; ``None`` to keep those that are there.
        cache_mb : float
            Memory for new columns.
        """

    @abstractmethod
    def reduced(self, fitted: Fitted, stays: Any) -> Fitted:
        """Return where a model is when the rows that went, now of no weight, are dropped."""


def move_trade_off(
    problem: Any, quantities: Quantities, destination: Mapping[str, Any]
) -> tuple[Any, Quantities]:
    """Return a problem and quantities with the ``C`` of the destination."""
    C = check_number("C", destination["C"])
    weight = products(quantities["weight"], C / problem.C)
    return replace(problem, C=C), {**quantities, "weight": weight}
