"""Gradients of decision values with respect to everything that a model can be moved in.

Between two breakpoints a solution is an affine function of targets, knots and levels, and these are
functions of weights, C and the like that the problem knows. One solve with the margin system gives
the derivatives by the former (:mod:`weightpath.engine.adjoint`), and ``Problem.pull_back`` those by
the latter. At a breakpoint two pieces or more meet: the gradient is then that of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options
from weightpath.engine.adjoint import Adjoint
from weightpath.errors import PathError
from weightpath.estimators.following import trace
from weightpath.estimators.problem import Fitted, Quantities, Trip
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.user_warnings import warn_breakpoint
from weightpath.problems.position import is_free

if TYPE_CHECKING:
    from weightpath.estimators.base import PathEstimator

__all__ = ["Gradient", "adjoint_of", "gradient_of", "one_sided"]

Index = NDArray[np.intp]

# From a breakpoint a path leads into one of the pieces that meet there; only its beginning counts.
_SMALL_MOVE = 1e-6

# A piece of that path that is shorter is one of rounding.
_SHORT = 1e-3

# The quantities that grow on the way into that piece.
_GROWING = ("weight", "penalty")


class Gradient(dict[str, Any]):
    """The derivatives of a weighted sum of decision values, by name.

    A dictionary from the names of quantities to a number, or to an array with an entry for each
    instance, pair or feature, that also knows where it is one-sided.

    Parameters
    ----------
    values : mapping
        The derivatives.
    rows : ndarray of int
        See the attributes.
    one_sided : tuple of str
        See the attributes.

    Attributes
    ----------
    rows : ndarray of int
        The instances (pairs, features) at which pieces of the solution meet: exactly at the border
        of two sets. Empty almost everywhere.
    one_sided : tuple of str
        The quantities whose derivatives hold on one side only, the side on which the weights (of a
        lasso the penalties) are larger; those of all other quantities hold on both sides.
    """

    def __init__(
        self, values: Mapping[str, Any], rows: Index | None = None, one_sided: tuple[str, ...] = ()
    ) -> None:
        super().__init__(values)
        self.rows = np.empty(0, dtype=np.intp) if rows is None else rows
        self.one_sided = one_sided

    @property
    def at_breakpoint(self) -> bool:
        """Whether some derivative holds on one side only."""
        return bool(self.one_sided)


def gradient_of(model: PathEstimator, fitted: Fitted, X: Any, cotangent: Any) -> Gradient:
    """Return the derivatives of ``sum(cotangent * decision_function(X))``.

    Parameters
    ----------
    model : PathEstimator
        The model; it stays where it is.
    fitted : Fitted
        Where it is, with the columns of the kernel matrix.
    X : ndarray or CSR matrix
        Instances, checked.
    cotangent : array-like
        What a change of each decision value costs.
    """
    problem = fitted.problem
    shape = getattr(model, "decision_function_shape", "")
    per_function = problem.per_function(fitted.values, shape, X, cotangent)
    adjoints = [adjoint_of(fitted, own) for own in fitted.subproblems]
    ties = [adjoint.ties() for adjoint in adjoints]
    if any(breaking.size for breaking, _ in ties):
        adjoints = _in_one_piece(model, fitted, adjoints)
    functionals, slopes = [], []
    for k, (subproblem, adjoint) in enumerate(zip(fitted.subproblems, adjoints, strict=True)):
        own = np.ascontiguousarray(per_function[:, k])
        functional = problem.functional(fitted.training, subproblem, X, own, adjoint.felt)
        functionals.append(functional)
        slopes.append(adjoint.slopes(*functional))
    found = problem.pull_back(fitted, functionals, slopes)
    names = set[str]()
    rows = [np.empty(0, dtype=np.intp)]
    for subproblem, adjoint, (breaking, dependent) in zip(
        fitted.subproblems, adjoints, ties, strict=True
    ):
        if breaking.size:
            names.update(found)
            rows.append(subproblem.rows[breaking])
        if dependent.size and problem.row_by_row:
            names.update(problem.row_by_row)
            rows.append(subproblem.rows[dependent])
        if adjoint.bias_is_free:
            names.update(problem.unbalancing)
    sides = tuple(name for name in found if name in names)
    gradient = Gradient(found, np.unique(np.concatenate(rows)), sides)
    if sides:
        warn_breakpoint(sides, gradient.rows)
    return gradient


def one_sided(found: Mapping[str, Any], ties: Sequence[Index]) -> Gradient:
    """Return derivatives that are all one-sided if any row is tied, with a warning then."""
    rows = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *ties]))
    gradient = Gradient(found, rows, tuple(found) if rows.size else ())
    if rows.size:
        warn_breakpoint(gradient.one_sided, rows)
    return gradient


def adjoint_of(fitted: Fitted, subproblem: Subproblem, beyond: Adjoint | None = None) -> Adjoint:
    """Return what differentiates functionals of one subproblem.

    Parameters
    ----------
    fitted : Fitted
        Where the model is.
    subproblem : Subproblem
        One of its subproblems.
    beyond : Adjoint or None, default=None
        That of the same subproblem in a piece that begins here: the rows are in the same sets.
    """
    state, ridge = subproblem.state, fitted.training.ridge
    if beyond is None:
        return Adjoint(subproblem.columns, subproblem.stair, state, ridge)
    position = beyond.state.position
    margin = np.flatnonzero(is_free(position)).astype(np.intp)
    placed = replace(state, position=position, margin=margin)
    bounds = beyond.bounds if beyond.bias_is_free else None
    return Adjoint(subproblem.columns, subproblem.stair, placed, ridge, bounds)


def _in_one_piece(model: PathEstimator, fitted: Fitted, present: list[Adjoint]) -> list[Adjoint]:
    """Return the adjoints with all rows in the sets of one piece that begins at a breakpoint.

    It begins where all weights grow by one factor; ties that this leaves are broken by rates of
    their own for each row.
    """
    here, found = fitted, present
    options = Options(ridge=fitted.training.ridge)
    for quantities in _grown(fitted):
        try:
            here = _beginning(model, here, quantities, options)
        except PathError:
            # The sets as they are belong to a piece, too, unless several rows are tied.
            return found
        here = here.with_columns(model.cache_size)
        beyond = [adjoint_of(here, own) for own in here.subproblems]
        found = [
            adjoint_of(fitted, own, there)
            for own, there in zip(fitted.subproblems, beyond, strict=True)
        ]
        if not any(adjoint.ties()[0].size for adjoint in beyond):
            break
    return found


def _grown(fitted: Fitted) -> list[Quantities]:
    """Return quantities a little further on: all by one factor, then each row at its own rate."""
    together, apart = dict(fitted.quantities), dict(fitted.quantities)
    for name in _GROWING:
        if name in fitted.quantities:
            values = fitted.quantities[name]
            unit = float(values.max(initial=0.0)) or 1.0
            rate = np.random.default_rng(0).uniform(0.5, 1.5, len(values))
            together[name] = values * (1.0 + _SMALL_MOVE)
            apart[name] = values * (1.0 + _SMALL_MOVE) + _SMALL_MOVE * rate * unit
    return [together, apart]


def _beginning(model: PathEstimator, start: Fitted, end: Quantities, options: Options) -> Fitted:
    """Return where a model is in the middle of the first piece of a path, which has a length."""
    with catch_warnings():
        simplefilter("ignore")
        path, _ = trace(model, Trip(start, start.problem, end), options)
    edges = np.unique(np.concatenate([[0.0], path.theta, [1.0]]))
    # Events that rounding puts behind the start, or apart, are where the path begins.
    first = int((np.diff(edges) > _SHORT).argmax())
    there: Any = path.model_at(0.5 * float(edges[first] + edges[first + 1]))
    return Fitted(start.training, start.problem, end, there.subproblems_)
