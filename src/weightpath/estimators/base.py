"""What all estimators share: a model that is moved along exact paths.

An estimator has a *problem* (what is minimised), a *training set* (rows, labels, kernel) and
*subproblems* (staircases with their exact solutions); see :mod:`weightpath.estimators.problem`.
Every change is a path, and only at its end does the estimator change. A call that fails, or is
interrupted, leaves it as it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import COMPLETE, STOPPED_AT_CAP, Options
from weightpath.estimators.checks import check_indices, check_number, check_whole_number
from weightpath.estimators.following import trace
from weightpath.estimators.gradient import Gradient, gradient_of
from weightpath.estimators.input_data import check_arrivals, check_instances, is_precomputed
from weightpath.estimators.problem import (
    COLUMN_SHARE,
    WEIGHTS_COME_LATER,
    Arrivals,
    Effort,
    Fitted,
    Problem,
    Quantities,
    Trip,
)
from weightpath.estimators.receipts import Removal, RemovalReceipt
from weightpath.estimators.region import critical_region
from weightpath.estimators.row_names import with_arriving_names, with_names
from weightpath.estimators.snapshot import FEATURES
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Staying, TrainingSet
from weightpath.estimators.user_warnings import warn_event_cap
from weightpath.frozen import freeze_all
from weightpath.path import SolutionPath
from weightpath.path.certificate import kkt_violation
from weightpath.problems.scales import reach_of

__all__ = ["UNMOVED", "PathEstimator", "Unmoved"]


class Unmoved(Enum):
    """The default of everything that ``move`` takes: it stays where it is."""

    UNMOVED = "unmoved"

    def __repr__(self) -> str:
        return self.value


UNMOVED = Unmoved.UNMOVED


class PathEstimator(BaseEstimator, ABC):
    """Base of the estimators; see the module's text. A leaf says which problem it has."""

    # The problem; what a saved path of the estimator describes.
    problem_type: ClassVar[type[Problem]]

    tol: float
    max_events: int
    cache_size: float
    ridge: float

    # What a fit sets: where the model is.
    _fitted: Fitted
    # The last removal, or its receipt as a dictionary.
    _removal: Removal | dict[str, Any]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a public attribute of the solution; it is made when it is first read."""
            fitted = self.__dict__.get("_fitted")
            if fitted is not None and name[-1:] == "_" != name[0] and name not in FEATURES:
                attributes = fitted.attributes
                if name in attributes:
                    return attributes[name]
            # Raises what a property has raised, or that there is no such attribute.
            return object.__getattribute__(self, name)

    def __dir__(self) -> list[str]:
        fitted = self.__dict__.get("_fitted")
        own = [] if fitted is None else [name for name in fitted.attributes if name[0] != "_"]
        return [*super().__dir__(), *own]

    # What layers above see of a fitted model -----------------------------------------------

    @property
    def subproblems_(self) -> tuple[Subproblem, ...]:
        """The staircase problems of the model, solved: one, or one for each pair of classes."""
        return self._where().subproblems

    @property
    def training_set_(self) -> TrainingSet:
        """What the model was trained on: rows, labels, kernel."""
        return self._where().training

    @property
    def problem_(self) -> Problem:
        """What the model minimises."""
        return self._where().problem

    @property
    def quantities_(self) -> Mapping[str, NDArray[np.float64]]:
        """The quantities that the model sits at, by name."""
        return MappingProxyType(self._where().quantities)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features; with a kernel only if it is linear."""
        weights: NDArray[np.float64] = self._where().attributes["_expansion"].feature_weights()
        return weights

    critical_region = critical_region

    # Paths ---------------------------------------------------------------------------------

    def reweight(self, sample_weight: ArrayLike) -> SolutionPath:
        """Follow the exact path to new instance weights; the model then sits there.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,)
            New weights, not negative. Zero takes an instance out; it can come back.

        Returns
        -------
        SolutionPath
            All solutions between the old weights (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"sample_weight": sample_weight})

    def path_to(self, **destination: Any) -> SolutionPath:
        """Follow the exact path to new values, as ``move`` does, but stay where the model is.

        Parameters
        ----------
        **destination
            What ``move`` takes, such as ``sample_weight`` or ``C``.

        Returns
        -------
        SolutionPath
            The path of ``move``; the model at its end is ``path.model_at(1.0)``.
        """
        draft: Any = self._draft()
        path: SolutionPath = draft.move(**destination)
        return path

    def add(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,) or None, default=None
            Their labels or targets; not used where a fit uses none.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last. For a
            lasso, the path on the new data from the present coefficients: see its class.
        """
        return self._slide(X, y, 0, None, sample_weight=sample_weight)

    def slide(
        self,
        X: Any,
        y: ArrayLike | None = None,
        drop: int = 0,
        sample_weight: ArrayLike | None = None,
    ) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : array-like of shape (n_new,) or None, default=None
            Their labels or targets, as in ``add``.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        return self._slide(X, y, drop, sample_weight)

    def remove(self, indices: ArrayLike) -> SolutionPath:
        """Take instances out along an exact path: their weights go to zero, then they are dropped.

        Parameters
        ----------
        indices : int or array-like of int
            Rows of the training set, negative ones from its end. The others keep their order.

        Returns
        -------
        SolutionPath
            The path on the training set as it was; for a lasso on the new data, as for ``add``.
        """
        fitted = self._ready()
        keep = np.ones(len(fitted.training), dtype=bool)
        keep[check_indices(indices, len(keep))] = False
        path = self._exchange(fitted, None, keep, None)
        if path.status == COMPLETE:
            gone = np.flatnonzero(~keep)
            self._removal = Removal(type(self).__name__, gone, fitted, self._fitted)
        return path

    def removal_receipt(self, refit: bool = False) -> RemovalReceipt:
        """Return the receipt of the last ``remove``: what it took out, and the proof of it.

        The receipt is made when it is first asked for, or when the model is saved; until then the
        rows that were removed stay in memory. Later moves do not change it, a new fit forgets it.

        Parameters
        ----------
        refit : bool, default=False
            Whether to solve the problem on the rows that are left once more, from nothing, and to
            compare; only as long as the receipt has not been made yet.

        Returns
        -------
        RemovalReceipt
            With hashes, certificates, a bound of the distance to any refit, ``to_json``.

        Examples
        --------
        >>> import weightpath as wp
        >>> toy = wp.datasets.make_toy(80, random_state=0)
        >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
        >>> path = model.remove([3, 7])
        >>> receipt = model.removal_receipt()
        >>> receipt.indices, receipt.violation_after < 1e-9
        ((3, 7), True)
        """
        self._where()
        removal = self.__dict__.get("_removal")
        if removal is None:
            raise ValueError(
                "No rows were removed from this model since it was fitted: removal_receipt() tells "
                "of the last remove()."
            )
        if isinstance(removal, Removal):
            # The rows that were removed are let go of.
            removal = self._removal = removal.receipt(refit).to_dict()
        return RemovalReceipt.from_dict(removal)

    def gradient(self, X: Any, cotangent: ArrayLike) -> Gradient:
        r"""Return how a weighted sum of decision values moves with everything that can be moved.

        The derivatives of :math:`\sum_q c_q f(x_q)`, exact between breakpoints, by one solve with
        the factor that the solution has.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.
        cotangent : array-like of the shape of the decision values
            The :math:`c_q`, such as the derivatives of a loss by the decision values of ``X`` (of
            a regression, the predictions).

        Returns
        -------
        Gradient
            A dict with a derivative for each quantity that the estimator has: "sample_weight", "C",
            "y" or "margin", "epsilon", "quantile", "nu", "pair_weight", "alpha", "penalty_weight".
            Its ``one_sided`` names those that hold on one side only, with a warning: at a
            breakpoint.
        """
        fitted = self._ready()
        return gradient_of(self, fitted, check_instances(self, X), cotangent)

    def kkt_violation(self, relative: bool = True) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-12.

        Parameters
        ----------
        relative : bool, default=True
            Relative to the largest target or level; otherwise in the units of the target.

        Returns
        -------
        float
            The largest distance of any instance from its optimality condition. See
            :meth:`weightpath.SolutionPath.kkt_violation`.
        """
        fitted, worst = self._where(), 0.0
        for subproblem in fitted.subproblems:
            response, diagonal = fitted.problem.response(fitted.training, subproblem)
            state = subproblem.state
            found = kkt_violation(
                subproblem.stair, state.beta, state.bias, response, reach_of(diagonal), relative
            )
            worst = max(worst, found)
        return worst

    def __copy__(self) -> Self:
        # What is fitted is never changed, and shared.
        return self._draft()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        removal = state.get("_removal")
        # What was removed is not saved: only its receipt.
        return (
            {**state, "_removal": removal.receipt().to_dict()}
            if isinstance(removal, Removal)
            else state
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        fitted = state.get("_fitted")
        if fitted is not None:
            # Unpickled arrays are writable, and paths will share these.
            parts = [(one.reading, one.stair) for one in fitted.subproblems]
            freeze_all([fitted.training, fitted.problem, fitted.quantities, parts])
            freeze_all(state.get("path_"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the fitted functions at some instances."""
        X = check_instances(self, X)
        values: NDArray[np.float64] = self._fitted.attributes["_expansion"].values(X)
        return values

    # Fits ----------------------------------------------------------------------------------

    @abstractmethod
    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, Any, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""

    def _fit(self, X: Any, *data: Any) -> Self:
        """Fit a draft, which replaces the model if all goes well."""
        draft = self._draft()
        training, problem, quantities = draft._set_up(X, *data)
        training = with_names(training, X, data)
        problem.check(quantities, training.labels)
        subproblems = problem.solve(training, quantities, self._effort())
        draft._fitted = Fitted(training, problem, quantities, subproblems)
        draft.__dict__.pop("_removal", None)
        self.__dict__ = draft.__dict__
        return self

    def _effort(self) -> Effort:
        """Return what the first solution may cost."""
        return Effort(check_number("tol", self.tol), check_number("cache_size", self.cache_size))

    # Changes -------------------------------------------------------------------------------

    def _where(self) -> Fitted:
        """Return where the model is; raise unless it is fitted."""
        # Faster than check_is_fitted, which is called only to raise its error.
        if "_fitted" not in self.__dict__:
            check_is_fitted(self)
        return self._fitted

    def _ready(self) -> Fitted:
        """Return where the model is, with the columns that a path needs."""
        fitted: Fitted = self.__dict__.get("_fitted") or self._where()
        for subproblem in fitted.subproblems:
            # A copy has no columns, and a kernel function may have failed in the middle of one.
            if subproblem.columns is None or subproblem.columns.is_suspect:
                self._fitted = fitted = fitted.with_columns(self.cache_size)
                break
        return fitted

    def _move(self, destination: Mapping[str, Any]) -> SolutionPath:
        """Follow the path to the values that a destination names."""
        named = {name: value for name, value in destination.items() if value is not UNMOVED}
        fitted = self._ready()
        if not named:
            can = ", ".join(fitted.problem.moves)
            raise TypeError(f"move() needs something to move: {can}.")
        free = fitted.problem.may_be_none
        missing = [name for name, value in named.items() if value is None and name not in free]
        if missing:
            raise ValueError(f"{missing[0]} is None: give the value to move to, or leave it out.")
        problem, quantities = fitted.problem.plan_move(fitted, named)
        problem.check(quantities, fitted.training.labels)
        return self._follow(Trip(fitted, problem, quantities))

    def _slide(self, X: Any, y: Any, drop: Any, final: Any, **given: Any) -> SolutionPath:
        """Follow the path on which instances arrive and the oldest depart.

        ``given`` belongs to the arrivals; ``final`` are the weights of all that are there then.
        """
        fitted = self._ready()
        drop = check_whole_number("drop", drop, 0, len(fitted.training))
        checked = check_arrivals(self, fitted.training, X)
        return self._slide_checked(fitted, checked, y, drop, final, given, named=X)

    def _slide_checked(
        self,
        fitted: Fitted,
        X: Any,
        y: Any,
        drop: int,
        final: Any,
        given: Mapping[str, Any],
        named: Any = None,
    ) -> SolutionPath:
        arrivals = fitted.problem.arrivals(fitted, X, y, given)
        arrivals = with_arriving_names(fitted.training, arrivals, named, y)
        keep = slice(drop, len(fitted.training))
        return self._exchange(fitted, arrivals, keep, final)

    def _slide_trip(
        self, fitted: Fitted, X: Any, y: Any, drop: int, final: Any, n_gone: int
    ) -> Trip:
        """Return the trip of a slide, to weights that were checked.

        The first ``n_gone`` rows of ``fitted`` are gone before.
        """
        arrivals = fitted.problem.arrivals(fitted, X, y, WEIGHTS_COME_LATER)
        arrivals = with_arriving_names(fitted.training, arrivals, None, y)
        keep = slice(drop, len(fitted.training) - n_gone)
        cache_mb = COLUMN_SHARE * check_number("cache_size", self.cache_size)
        problem: Any = fitted.problem
        trip: Trip = problem.exchange(fitted, arrivals, keep, final, cache_mb, n_gone, checked=True)
        return trip

    def _exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: Staying,
        final: Any,
    ) -> SolutionPath:
        """Follow the path on which rows come and go."""
        cache_mb = COLUMN_SHARE * check_number("cache_size", self.cache_size)
        return self._follow(fitted.problem.exchange(fitted, arrivals, keep, final, cache_mb))

    def _follow(self, trip: Trip) -> SolutionPath:
        """Follow a path; if it reaches its end, the model then sits there."""
        path, there = trace(self, trip, self._options(trip.start.training.ridge))
        if path.status == COMPLETE:
            self._arrive(there, trip.stays)
        elif path.status == STOPPED_AT_CAP:
            warn_event_cap(f"{STOPPED_AT_CAP.message} The model stays where it was.")
        return path

    def _arrive(self, there: Fitted, stays: Staying | None) -> None:
        """Sit where a path has led, with the rows that stay."""
        known = dict(self.__dict__)
        if stays is not None:
            there = there.problem.reduced(there, stays)
            if there.training.kernel.name == "precomputed":
                # Its columns have come and gone with the rows.
                known["n_features_in_"] = there.training.X.shape[1]
                known.pop("feature_names_in_", None)
        known["_fitted"] = there
        self.__dict__ = known

    def _options(self, ridge: float) -> Options:
        """Return how paths are followed."""
        most = check_whole_number("max_events", self.max_events, 1)
        return Options(ridge=ridge, max_events=most)

    def _draft(self) -> Self:
        """Return a copy to change; it shares what the model holds, which is only ever replaced.

        One assignment of its ``__dict__`` replaces the estimator: an interrupt comes before that
        or after it.
        """
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        return draft
