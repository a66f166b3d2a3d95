"""What the online models share: a window over a stream, and a model that slides with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from weightpath.applications.forgetting_window import (
    Forgetting,
    ForgettingWindow,
    WindowStep,
)
from weightpath.estimators.input_data import is_plain
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.sliding import Slider
from weightpath.estimators.snapshot import parameters, reader
from weightpath.path import SolutionPath

__all__ = ["OnlineModel"]

_DENSE_OR_SPARSE: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}

_LEARNT = (
    "_announced",
    "_present",
    "_rows",
    "_slider",
    "classes_",
    "feature_names_in_",
    "gamma_",
    "n_features_in_",
    "n_seen_",
)


@cache
def _inner_parameters(kind: type[OnlineModel]) -> tuple[str, ...]:
    """Return the names of the parameters that an online model and the model inside it share."""
    return tuple(name for name in parameters(kind) if name not in kind._own)


@cache
def _without_gamma(kind: type[OnlineModel]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what reads these parameters but ``gamma``, at once."""
    return reader(tuple(name for name in _inner_parameters(kind) if name != "gamma"))


class OnlineModel(BaseEstimator, ABC):
    """Base of the online models. A subclass says how its model learns the window."""

    # The estimator inside, and the parameters that it does not have.
    _kind: ClassVar[Any]
    _own: ClassVar[tuple[str, ...]] = ("window", "forgetting", "follow_paths")

    window: int | None
    forgetting: Forgetting
    follow_paths: bool
    gamma: float | str
    kernel: str | KernelFunction

    # What learning sets.
    n_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    gamma_: float
    _rows: ForgettingWindow
    _slider: Slider | None

    # What a subclass defines ---------------------------------------------------------------

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions."""

    @abstractmethod
    def _absorb(self, step: WindowStep) -> Any:
        """Learn the window that replaces ``self._rows``; return its instances."""

    @abstractmethod
    def _is_plain_target(self, y: Any, n: int) -> bool:
        """Whether ``y`` is an array for ``n`` rows that needs no check by scikit-learn."""

    @abstractmethod
    def _check_targets(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return labels or targets, checked."""

    @abstractmethod
    def _predict_rows(self, X: Any) -> NDArray[Any]:
        """Predict instances that have been checked."""

    # One row at a time ---------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one instance, as the models of river do.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            The instance. The names of the first dict, in its order, are those of the features;
            later ones must have the same.
        y : label or number
            What was observed.

        Returns
        -------
        self : object
            The model itself.
        """
        draft = copy(self)
        row, target = draft._one(x, learning=True), np.asarray([y])
        if not draft._is_plain_target(target, 1):
            target = draft._check_targets(target)
        draft._learn(row, target)
        self.__dict__ = draft.__dict__
        return self

    def predict_one(self, x: Any) -> Any:
        """Predict one instance, as the models of river do.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            The instance.

        Returns
        -------
        label, number or None
            The prediction; None before anything has been learnt.
        """
        if not self.__sklearn_is_fitted__():
            return None
        return self._predict_rows(self._one(x, learning=False))[0]

    # What is in the window -----------------------------------------------------------------

    @property
    def path_(self) -> SolutionPath | None:
        """The path of the last arrivals; None if the model was fitted from scratch."""
        slider = self._learnt_slider("path_")
        return None if slider is None else slider.path

    def _learnt_slider(self, name: str) -> Slider | None:
        """Return what slides with the window, for an attribute of this name; None if nothing does.

        An attribute that is not there says so under its own name.
        """
        try:
            slider: Slider | None = self.__dict__["_slider"]
        except KeyError:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            ) from None
        return slider

    @property
    def window_X_(self) -> Any:  # noqa: N802
        """The instances in the window, oldest first."""
        return self._rows.X

    @property
    def window_y_(self) -> NDArray[Any]:
        """Their labels or targets."""
        return self._rows.y

    @property
    def window_weight_(self) -> NDArray[np.float64]:
        """Their weights, in units of C."""
        return self._rows.weight

    # Behind them ---------------------------------------------------------------------------

    def __copy__(self) -> Self:
        # What a model holds is never changed, only replaced: a copy shares it.
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        return draft

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_seen_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _forgotten(self) -> Self:
        """Return the model as it was before it learnt anything."""
        draft = copy(self)
        for name in _LEARNT:
            draft.__dict__.pop(name, None)
        return draft

    def _learn_rows(self, X: Any, y: Any) -> None:
        """Check arrivals and learn them, on a draft as :meth:`_learn`."""
        if is_plain(self, X) and self._is_plain_target(y, len(X)):
            self._learn(X, y)
            return
        reset = not self.__sklearn_is_fitted__()
        options = {**_DENSE_OR_SPARSE, **self._target_check()}
        X, y = validate_data(self, X, y, reset=reset, **options)
        self._learn(X, self._check_targets(y))

    def _target_check(self) -> dict[str, Any]:
        return {}

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        """Learn arrivals; called on a draft, which replaces the model if all goes well."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                'A stream has no kernel matrix: instead of kernel="precomputed" give a function of '
                "two matrices."
            )
        step = WindowStep(getattr(self, "_rows", None), X, y, self.window, self.forgetting)
        self._rows = step.window(self._absorb(step))
        self.n_seen_ = getattr(self, "n_seen_", 0) + X.shape[0]

    def _settings(self, other: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of the model inside, some of them others than those of this one.

        Its kernel is fixed once it is chosen.
        """
        known = self.__dict__
        names = _inner_parameters(type(self))
        settings = {**dict(zip(names, reader(names)(known), strict=True)), **other}
        if "gamma_" in known:
            settings["gamma"] = known["gamma_"]
        return settings

    def _follow(
        self,
        old: Slider | None,
        other: dict[str, Any],
        X_new: Any,
        y_new: NDArray[Any],
        weight: NDArray[np.float64],
        drop: int,
        rows: Callable[[], tuple[Any, NDArray[Any]]],
    ) -> None:
        """Let the model go to some rows: slide or, where it cannot, be fitted.

        ``rows`` returns them all, with their labels or targets. ``old`` holds the same without the
        arrivals and with ``drop`` others before them. ``other`` are parameters of the model inside
        that differ from those of this one.
        """
        slider = None
        if old is not None and len(y_new) and self._has_settings(old, other):
            slider = old.slid(X_new, y_new, drop, weight, self.follow_paths)
        if slider is None:
            X, y = rows()
            slider = Slider(self._kind(**self._settings(other)).fit(X, y, weight))
        self._slider = slider
        self.gamma_ = slider.gamma

    def _has_settings(self, slider: Slider, other: dict[str, Any]) -> bool:
        """Whether a model has the parameters asked for; its kernel's gamma is fixed anyway."""
        read = _without_gamma(type(self))
        wanted = {**self.__dict__, **other} if other else self.__dict__
        return bool(read(slider.settings) == read(wanted))

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, **_DENSE_OR_SPARSE)

    def _one(self, x: Any, learning: bool) -> NDArray[np.float64]:
        """Return one instance as a matrix of one row."""
        first = not self.__sklearn_is_fitted__()
        if isinstance(x, Mapping):
            if first and learning:
                self.feature_names_in_ = np.array(list(x), dtype=object)
            x = [x[name] for name in self._names_of(x)]
        row: NDArray[np.float64] = np.asarray(x, dtype=np.float64).reshape(1, -1)
        if row.size == 0 or not np.isfinite(row).all():
            row = check_array(row, dtype=np.float64, input_name="x")
        if first and learning:
            self.n_features_in_ = row.shape[1]
        if row.shape[1] != self.n_features_in_:
            raise ValueError(
                f"x has {row.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features."
            )
        return row

    def _names_of(self, x: Mapping[str, Any]) -> list[str]:
        """Return the names of the features, which are those of ``x``."""
        if not hasattr(self, "feature_names_in_"):
            raise ValueError(
                "The model has learnt features without names, so that the order of a dict's values "
                "is open: give x as a list, or begin with dicts or a DataFrame."
            )
        names: list[str] = self.feature_names_in_.tolist()
        if set(names) != set(x):
            missing, more = set(names) - set(x), set(x) - set(names)
            what = f"lacks {sorted(missing, key=str)}" if missing else ""
            extra = f"has the unknown {sorted(more, key=str)}" if more else ""
            raise ValueError(
                f"x must have the features {names}; it {' and '.join(filter(None, (what, extra)))}."
            )
        return names
