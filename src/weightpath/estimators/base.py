"""What all estimators share: a model that can travel.

A fitted estimator holds *quantities*, one number for each training instance and each thing that
can move (weights, margins, ...), and *parts*, the staircase problems they define, each with its
exact solution. Every change is a path: the parts travel to the staircases of the new quantities,
and only when all have arrived does the estimator change. A call that fails, or is interrupted,
leaves it as it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.engine import COMPLETE, STOPPED_AT_CAP, Options, center_bias, kappa_of, solve
from weightpath.errors import EventCapWarning
from weightpath.estimators.checks import (
    check_kernel,
    check_number,
    check_symmetric,
    check_whole_number,
)
from weightpath.estimators.kernel_choice import choose_kernel
from weightpath.estimators.parts import Part
from weightpath.estimators.precision import warn_beyond_precision
from weightpath.estimators.snapshot import Snapshot
from weightpath.estimators.training_matrix import own_csr, own_dense, rows_of
from weightpath.frozen import freeze, freeze_all, is_safe_to_keep
from weightpath.kernels import Kernel
from weightpath.path import Reading, SolutionPath
from weightpath.path.certificate import kkt_violation
from weightpath.problems import Staircase
from weightpath.problems.scales import reach_of
from weightpath.problems.staircase import mix

__all__ = ["PathEstimator"]

_NO_Y = object()

# What a model shares with its paths, besides the problems of its parts.
_SHARED = ("_X", "_quantities", "_labels", "_preferences", "_sample_weight", "path_")

# Of ``cache_size`` this much is for kernel columns; the rest is what a path needs besides: a buffer
# for columns that pass through, the margin system, the record while it grows.
COLUMN_SHARE = 0.8

# And this much, before any path, is for the cache of LIBSVM, which needs memory besides.
GUESS_SHARE = 0.7


class PathEstimator(BaseEstimator):
    """Base of the estimators; see the module's text. Subclasses define the problem."""

    # What can be moved, and the fitted attributes that go from one value to another on the way.
    _moves: tuple[str, ...] = ()
    _lines: tuple[str, ...] = ()
    # Fitted attributes that stay as they are on a path.
    _fixed: tuple[str, ...] = ("n_features_in_", "feature_names_in_", "gamma_", "_ridge")

    # Fitted attributes that show a quantity, by the name of the quantity.
    _shown: ClassVar[dict[str, str]] = {}

    kernel: Any
    tol: float
    max_events: int
    cache_size: float
    ridge: float

    # What a fit sets.
    _X: Any
    _kernel: Kernel
    _labels: np.ndarray
    _pairs: list[tuple[int, int]]
    _quantities: dict[str, np.ndarray]
    _parts: tuple[Part, ...]
    _ridge: float

    # What a subclass defines ---------------------------------------------------------------

    def _staircase(self, rows, reading: Reading, quantities: dict) -> Staircase:
        """Return the staircase of one part."""
        raise NotImplementedError

    def _reading(self, rows, pair, labels) -> Reading:
        """Return the reading of one part."""
        raise NotImplementedError

    def _aim(self, targets: dict) -> tuple[dict, dict]:
        """Return the quantities that ``targets`` ask for, and attributes to set on arrival."""
        raise NotImplementedError

    def _check_quantities(self, quantities: dict, labels) -> None:
        """Raise if no model exists at these quantities."""

    def _publish(self) -> None:
        """Set the public attributes of the solution; extended by subclasses."""
        for name, quantity in self._shown.items():
            values = self._quantities[quantity]
            values.setflags(write=False)
            setattr(self, name, values)

    def _ready(self, part: Part, start: dict, end: dict) -> Part:
        """Return a part in the form in which it travels between two sets of quantities."""
        return part

    @classmethod
    def _between(cls, start: dict, end: dict, theta: float) -> dict:
        """Return the quantities at ``theta`` on a path."""
        return {name: mix(start[name], end[name], theta) for name in start}

    # The common methods --------------------------------------------------------------------

    def reweight(self, sample_weight) -> SolutionPath:
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

    def move(self, **targets) -> SolutionPath:
        """Follow the exact path to new values of several quantities at once.

        All instance-wise quantities move on straight lines; what is not named stays.

        Parameters
        ----------
        **targets
            The quantities by name; the class documents which can be moved.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move(targets)

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
        check_is_fitted(self)
        worst = 0.0
        for part in self._parts:
            own = rows_of(self._kernel, self._X, part.rows)
            beta = part.state.beta
            response = self._kernel.product(own, own, beta) + self._ridge * beta
            kappa = reach_of(self._kernel.diagonal(own) + self._ridge)
            found = kkt_violation(part.stair, beta, part.state.bias, response, kappa, relative)
            worst = max(worst, found)
        return worst

    def __setstate__(self, state):
        super().__setstate__(state)
        # Arrays come out of a pickle as ones that can be written to; paths will share these.
        freeze_all([state.get(name) for name in _SHARED])
        freeze_all([(part.reading, part.stair) for part in state.get("_parts", ())])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    # Behind them ---------------------------------------------------------------------------

    @contextmanager
    def _all_or_nothing(self) -> Iterator[Self]:
        """Give a draft to change; if all goes well it takes the estimator's place.

        That is one assignment: an interrupt comes before it or after it.
        """
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        yield draft
        self.__dict__ = draft.__dict__

    def _move(self, targets: dict) -> SolutionPath:
        check_is_fitted(self)
        can = ", ".join(self._moves)
        if not targets:
            raise TypeError(f"move() needs something to move: {can}.")
        unknown = sorted(set(targets) - set(self._moves))
        if unknown:
            raise TypeError(
                f"{type(self).__name__} cannot move {', '.join(unknown)}; it can move: {can}."
            )
        missing = [name for name, value in targets.items() if value is None]
        if missing:
            raise ValueError(f"{missing[0]} is None: give the value to move to, or leave it out.")
        quantities, attributes = self._aim(targets)
        self._check_quantities(quantities, self._labels)
        path, arrived = self._travel(
            self._ready_parts(), self._X, self._labels, self._quantities, quantities, attributes
        )
        if path.status == COMPLETE:
            with self._all_or_nothing() as draft:
                draft.__dict__.update(attributes, _parts=arrived, _quantities=quantities)
                draft._publish()
        return path

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _check_settings(self, X) -> None:
        """Check what can be checked before the data are."""
        check_whole_number("max_events", self.max_events, 1)
        self._ridge = check_number("ridge", self.ridge, strict=False)
        if self._is_precomputed() and issparse(X):
            raise TypeError("A precomputed kernel matrix cannot be sparse; give X.toarray().")

    def _set_kernel(self, X, sample_weight) -> None:
        """Set the training matrix and the kernel on it."""
        self._X = freeze(check_symmetric(X)) if self._is_precomputed() else X
        self._kernel = choose_kernel(self, X, sample_weight)
        self.gamma_ = self._kernel.gamma

    def _solved_part(self, rows, reading: Reading, n_parts: int, guess) -> Part:
        """Return one part, solved; ``guess(X, tol, cache_mb)`` gives coefficients and bias."""
        tol = check_number("tol", self.tol)
        columns = self._columns(self._X, rows, n_parts)
        check_kernel(self._kernel, columns, self._ridge)
        stair = self._staircase(rows, reading, self._quantities)
        own = rows_of(self._kernel, self._X, rows)
        beta, bias = guess(own, tol, GUESS_SHARE * self.cache_size / n_parts)
        state = solve(columns, stair, beta, bias, Options(ridge=self._ridge))
        warn_beyond_precision(stair, state)
        kappa = kappa_of(columns, self._ridge)
        return Part(rows, reading, columns, stair, center_bias(stair, state, kappa))

    def _validate(self, X, y: Any = _NO_Y, reset: bool = False, **more):
        """Check data; what is kept (``reset``) cannot be written to by anybody."""
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", **more}
        options["copy"] = reset and not is_safe_to_keep(X)
        if y is _NO_Y:
            checked = validate_data(self, X, reset=reset, **options)
            return self._kept(checked, X) if reset else checked
        checked, y = validate_data(self, X, y, reset=reset, **options)
        return (self._kept(checked, X) if reset else checked), y

    def _kept(self, X, given):
        """Return checked data in the form in which they are kept."""
        return own_csr(X) if issparse(X) else own_dense(X, given)

    def _columns(self, X, rows, n_parts: int):
        cache = check_number("cache_size", self.cache_size)
        share = COLUMN_SHARE * cache / n_parts
        return self._kernel.columns(rows_of(self._kernel, X, rows), share)

    def _ready_parts(self) -> list[Part]:
        """Return the parts with their columns, made anew if a copy lacks them or they failed."""
        parts = [
            part
            if part.columns is not None and not part.columns.is_suspect
            else replace(part, columns=self._columns(self._X, part.rows, len(self._parts)))
            for part in self._parts
        ]
        self._parts = tuple(parts)
        return parts

    def _travel_options(self, max_events: int) -> Options:
        """Return how paths are followed."""
        return Options(ridge=self._ridge, max_events=max_events)

    def _travel(self, parts, X, labels, start: dict, end: dict, attributes: dict):
        """Follow all parts to the new quantities; return the path and the parts there."""
        most = check_whole_number("max_events", self.max_events, 1)
        options = self._travel_options(most)
        arrived, traced, status = [], [], COMPLETE
        for standing in parts:
            part = self._ready(standing, start, end)
            stair = self._staircase(part.rows, part.reading, end)
            there, trace = part.travel(stair, options)
            arrived.append(there)
            if trace.status == COMPLETE:
                warn_beyond_precision(stair, there.state)
            reached = there if trace.status == COMPLETE else None
            traced.append(part.path(self._kernel, X, stair, trace, options.ridge, reached))
            if trace.status != COMPLETE:
                status = trace.status
        if status == STOPPED_AT_CAP:
            # Blames the line that called reweight, move, add, remove or slide.
            warnings.warn(
                f"{status.message} The model stays where it was.", EventCapWarning, stacklevel=4
            )
        snapshot = Snapshot.of(self, labels, start, end, attributes)
        path = SolutionPath(
            traced,
            X,
            self._kernel,
            classes=getattr(self, "classes_", None),
            pairs=self._pairs if len(parts) > 1 else None,
            params=snapshot.to_params(),
            status=status,
            template=snapshot,
        )
        return path, tuple(arrived)
