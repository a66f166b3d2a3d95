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
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.engine import COMPLETE, Options
from weightpath.errors import EventCapWarning
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.parts import Part
from weightpath.estimators.snapshot import Snapshot
from weightpath.estimators.training_matrix import own_csr, rows_of
from weightpath.kernels import Kernel
from weightpath.path import Reading, SolutionPath
from weightpath.path.certificate import kkt_violation
from weightpath.problems import Staircase

__all__ = ["PathEstimator"]

_NO_Y = object()

# Of ``cache_size`` this much is for kernel columns; the rest is what a path needs besides: a buffer
# for columns that pass through, the margin system, the record while it grows.
COLUMN_SHARE = 0.8


class PathEstimator(BaseEstimator):
    """Base of the estimators; see the module's text. Subclasses define the problem."""

    # What can be moved, and the fitted attributes that go from one value to another on the way.
    _moves: tuple[str, ...] = ()
    _lines: tuple[str, ...] = ()
    # Fitted attributes that stay as they are on a path.
    _fixed: tuple[str, ...] = ("n_features_in_", "feature_names_in_", "gamma_", "_ridge")

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
        """Set the public attributes of the solution."""
        raise NotImplementedError

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

    def kkt_violation(self) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-12.

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
            worst = max(worst, kkt_violation(part.stair, beta, part.state.bias, response))
        return worst

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

    def _validate(self, X, y: Any = _NO_Y, reset: bool = False):
        """Check data; what is kept (``reset``) is copied, so that nobody else can change it."""
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", "copy": reset}
        if y is _NO_Y:
            X = validate_data(self, X, reset=reset, **options)
            return own_csr(X) if reset and issparse(X) else X
        X, y = validate_data(self, X, y, reset=reset, **options)
        return (own_csr(X) if reset and issparse(X) else X), y

    def _columns(self, X, rows, n_parts: int):
        cache = check_number("cache_size", self.cache_size)
        share = COLUMN_SHARE * cache / n_parts
        return self._kernel.columns(rows_of(self._kernel, X, rows), share)

    def _ready_parts(self) -> list[Part]:
        """Return the parts with their columns (which a copy of the model may lack)."""
        parts = [
            part
            if part.columns is not None
            else replace(part, columns=self._columns(self._X, part.rows, len(self._parts)))
            for part in self._parts
        ]
        self._parts = tuple(parts)
        return parts

    def _travel(self, parts, X, labels, start: dict, end: dict, attributes: dict):
        """Follow all parts to the new quantities; return the path and the parts there."""
        most = check_whole_number("max_events", self.max_events, 1)
        options = Options(ridge=self._ridge, max_events=most)
        arrived, traced, status = [], [], COMPLETE
        for part in parts:
            stair = self._staircase(part.rows, part.reading, end)
            there, trace = part.travel(stair, options)
            arrived.append(there)
            traced.append(part.path(self._kernel, X, stair, trace, options.ridge))
            if trace.status != COMPLETE:
                status = trace.status
        if status != COMPLETE:
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
