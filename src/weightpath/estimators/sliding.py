"""A model that slides with a window whose rows were checked elsewhere."""

from __future__ import annotations

from dataclasses import replace
from threading import RLock
from typing import Any

from numpy.typing import ArrayLike, NDArray

from weightpath.engine import COMPLETE, Options
from weightpath.engine.leg import MOST_EVENTS
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.following import Followed, followed, leapt, path_of
from weightpath.estimators.problem import Fitted, Trip
from weightpath.estimators.snapshot import has_fixed_parameters
from weightpath.path import SolutionPath

__all__ = ["Slider"]


# After a leap that failed, and took the time of some events, so many paths are followed.
_WARY = 8


class Slider:
    """A model on a window, and the path on which it came there; it is never changed.

    Both are made when they are read: whoever only goes on with the window needs neither. Mostly not
    even the path is followed before, but its end is found by a leap; what is read changes nothing.
    Rows that have left the window go when others come.

    Parameters
    ----------
    model : PathEstimator
        A fitted estimator; nobody else changes it.
    """

    def __init__(self, model: PathEstimator):
        self._model: PathEstimator | None = model
        self._path: SolutionPath | None = None
        # Of a slide: the estimator as it was before, the trip, and where it led, with the rows that
        # go; and the way there, if it was followed.
        self._before = model
        self._trip: Trip | None = None
        self._there: Fitted | None = None
        self._followed: Followed | None = None
        self._n_gone = self._wary = 0
        self._is_fixed = False
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"])  # type: ignore[misc]
        self._path = state["path"]

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of the model, by name, and more."""
        return (self._before if self._model is None else self._model).__dict__

    @property
    def problem(self) -> Any:
        """What the model minimises."""
        return self._where()[0].problem

    @property
    def labels(self) -> NDArray[Any]:
        """The labels of the rows in the window."""
        fitted, n_gone = self._where()
        return fitted.training.labels[n_gone:]

    @property
    def gamma(self) -> float:
        """The parameter of the kernel."""
        return self._where()[0].training.kernel.gamma

    @property
    def X(self) -> Any:  # noqa: N802
        """The instances in the window."""
        fitted, n_gone = self._where()
        roomy = fitted.training.roomy
        if n_gone and roomy is None:
            return self.model.training_set_.X
        return fitted.training.X if roomy is None else roomy.X[n_gone:]

    def _where(self) -> tuple[Fitted, int]:
        """Where the model is, perhaps with rows that have left the window, and their number."""
        model, there = self._model, self._there
        if model is None:
            assert there is not None
            return there, self._n_gone
        return model._where(), 0

    @property
    def model(self) -> Any:
        """The model at the window."""
        with self._lock:
            if self._model is None:
                assert self._there is not None and self._trip is not None
                model = self._before._draft()
                model._arrive(self._there, self._trip.stays)
                self._model = model
            return self._model

    @property
    def path(self) -> SolutionPath | None:
        """The path on which it came there; ``None`` for a model that was fitted."""
        with self._lock:
            if self._path is None and self._trip is not None:
                found = self._followed or _followed_late(self._trip, self._before)
                self._path = path_of(self._before, found)
            return self._path

    def slid(
        self, X: Any, y: Any, drop: int, sample_weight: ArrayLike, follows: bool = True
    ) -> Slider | None:
        """Slide on; return where that leads, or ``None`` if ``max_events`` ended the path before.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_new, n_features)
            Arrivals, which have been checked.
        y, drop, sample_weight
            As in :meth:`PathEstimator.slide`.
        follows : bool, default=True
            Whether the path is followed now, and not when it is read.
        """
        with self._lock:
            model, fitted, n_gone = self._before, *self._where()
            if self._model is not None:
                # It was read: it may have moved since, or others hold it.
                fitted = self._model._ready()
                model = self._model._draft()
                model.__dict__.pop("_fitted")
        trip = model._slide_trip(fitted, X, y, drop, sample_weight, n_gone)
        options, wary = model._options(trip.start.training.ridge), self._wary
        is_fixed = (self._is_fixed and model is self._before) or has_fixed_parameters(model)
        there, found = None, None
        if is_fixed and not (follows or wary) and options.max_events >= Options.max_events:
            there = leapt(trip, options)
            wary = _WARY * (there is None)
        else:
            wary = max(0, wary - 1)
        if there is None:
            found = followed(trip, options)
            if found.status != COMPLETE:
                return None
            there = found.there
        slider = Slider(model)
        slider._model, slider._trip, slider._there, slider._followed = None, trip, there, found
        slider._n_gone, slider._wary, slider._is_fixed = drop, wary, is_fixed
        if not is_fixed:
            # What the path says of the model must be copied before it can change.
            _ = slider.path, slider.model
        return slider


def _followed_late(trip: Trip, model: PathEstimator) -> Followed:
    """Follow a trip whose end is known, from the data.

    Whoever went on from there has taken the kernel columns along.
    """
    trip = replace(trip, start=trip.start.with_columns(model.cache_size))
    ridge = trip.start.training.ridge
    return followed(trip, Options(ridge=ridge, max_events=MOST_EVENTS))
