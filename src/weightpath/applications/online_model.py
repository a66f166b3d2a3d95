"""What the online models share: a window over a stream, and a model that slides with it."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from weightpath.applications.forgetting_window import Forgetting, ForgettingWindow
from weightpath.engine import COMPLETE
from weightpath.errors import EventCapWarning
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.path import SolutionPath

__all__ = ["OnlineModel"]

_DENSE_OR_SPARSE: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}

_LEARNT = (
    "_announced",
    "_present",
    "_rows",
    "classes_",
    "feature_names_in_",
    "gamma_",
    "n_features_in_",
    "n_seen_",
    "one_class_svm_",
    "path_",
    "svc_",
    "svr_",
)


class OnlineModel(BaseEstimator, ABC):
    """Base of the online models. A subclass says how its model learns the window."""

    # The estimator inside, and the parameters that it does not have.
    _kind: ClassVar[Any]
    _own: ClassVar[tuple[str, ...]] = ("window", "forgetting")

    window: int | None
    forgetting: Forgetting
    gamma: float | str
    kernel: str | KernelFunction

    # What learning sets.
    n_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    gamma_: float
    path_: SolutionPath | None
    _rows: ForgettingWindow

    # What a subclass defines ---------------------------------------------------------------

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions."""

    @abstractmethod
    def _absorb(self, window: ForgettingWindow, n_departed: int, n_arrived: int) -> None:
        """Learn the window that replaces ``self._rows``."""

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
        draft._learn(draft._one(x, learning=True), np.asarray([y]))
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
        reset = not self.__sklearn_is_fitted__()
        X, y = validate_data(self, X, y, reset=reset, **_DENSE_OR_SPARSE, **self._target_check())
        self._learn(X, y)

    def _target_check(self) -> dict[str, Any]:
        return {}

    def _learn(self, X: Any, y: NDArray[Any]) -> None:
        """Learn arrivals; called on a draft, which replaces the model if all goes well."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                'A stream has no kernel matrix: instead of kernel="precomputed" give a function of '
                "two matrices."
            )
        y = self._check_targets(y)
        old = getattr(self, "_rows", None)
        window, n_departed, n_arrived = ForgettingWindow.after(
            old, X, y, self.window, self.forgetting
        )
        self._absorb(window, n_departed, n_arrived)
        self._rows = window
        self.n_seen_ = getattr(self, "n_seen_", 0) + X.shape[0]

    def _settings(self) -> dict[str, Any]:
        """Return the parameters of the model inside; its kernel is fixed once it is chosen."""
        settings = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in self._own
        }
        if hasattr(self, "gamma_"):
            settings["gamma"] = self.gamma_
        return settings

    def _follow(
        self,
        old: PathEstimator | None,
        settings: dict[str, Any],
        rows: ForgettingWindow,
        n_new: int,
        drop: int,
    ) -> tuple[Any, SolutionPath | None]:
        """Return the model at some rows and the path to it: slid or, where it cannot be, fitted.

        ``old`` holds the same rows without the last ``n_new`` and with ``drop`` others before them.
        """
        if old is not None and n_new > 0 and self._has_settings(old, settings):
            model = copy(old)  # sliding replaces what the model holds, and changes nothing of it
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EventCapWarning)
                path = model.slide(
                    rows.X[-n_new:], rows.y[-n_new:], drop=drop, sample_weight=rows.weight
                )
            if path.status == COMPLETE:
                return model, path
        return self._kind(**settings).fit(rows.X, rows.y, rows.weight), None

    @staticmethod
    def _has_settings(model: PathEstimator, settings: dict[str, Any]) -> bool:
        """Whether a model has these parameters; its kernel's gamma is fixed anyway."""
        present = model.get_params(deep=False)
        return all(present[name] == value for name, value in settings.items() if name != "gamma")

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
        row: NDArray[np.float64] = check_array(
            np.asarray(x, dtype=np.float64).reshape(1, -1), dtype=np.float64, input_name="x"
        )
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
