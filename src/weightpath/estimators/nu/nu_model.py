"""What the models with ``nu`` share: where they are, and that they do not move."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import Options
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.gradient import Gradient
from weightpath.estimators.input_data import check_instances, is_precomputed
from weightpath.estimators.problem import Effort, Fitted
from weightpath.estimators.solved_elsewhere import install
from weightpath.estimators.user_warnings import warn_beyond_precision

__all__ = ["NuModel"]


class NuModel(BaseEstimator, ABC):
    """Base of the models with ``nu``. A leaf says how its parameter is found."""

    # The estimator that the model is one of, with C or epsilon instead of nu, and the method that
    # returns it.
    kind: ClassVar[type[PathEstimator]]
    kind_method: ClassVar[str]

    # Attributes that the solution gives a fitted model.
    shown: ClassVar[tuple[str, ...]] = (
        *("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_"),
        *("gamma_", "n_iter_", "fit_status_", "shape_fit_"),
    )

    tol: float
    cache_size: float
    max_events: int
    n_features_in_: int
    _fitted: Fitted

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features; with a kernel only if it is linear."""
        weights: NDArray[np.float64] = self._where().attributes["_expansion"].feature_weights()
        return weights

    @abstractmethod
    def _set_out(self, X: Any, *data: Any) -> Fitted:
        """Check the data, find the parameter and return the solution; called on a draft."""

    def kkt_violation(self, relative: bool = True) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-12.

        Parameters
        ----------
        relative : bool, default=True
            Relative to the largest target or level; otherwise in the units of the target.

        Returns
        -------
        float
            The largest distance of any instance from its optimality condition, at the parameter
            that was found.
        """
        model = self.kind()
        install(model, self._where())
        return model.kkt_violation(relative)

    def gradient(self, X: Any, cotangent: ArrayLike) -> Gradient:
        """Return how a weighted sum of decision values moves with weights, nu and the like.

        With the share ``nu`` fixed: C of a NuSVC, or epsilon of a NuSVR, moves along.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.
        cotangent : array-like of the shape of the decision values
            What a change of each decision value (of a NuSVR, prediction) costs.

        Returns
        -------
        Gradient
            A dict with a derivative for each of "sample_weight" and "nu", of a NuSVR also "C" and
            "y"; see :meth:`weightpath.SVC.gradient`.
        """
        fitted = self._where()
        X = check_instances(self, X)
        if any(own.columns is None or own.columns.is_suspect for own in fitted.subproblems):
            self._fitted = fitted = fitted.with_columns(self.cache_size)
        shape = getattr(self, "decision_function_shape", "")
        per_function = fitted.problem.per_function(fitted.values, shape, X, cotangent)
        return self._differentiate(fitted, X, per_function)

    @abstractmethod
    def _differentiate(self, fitted: Fitted, X: Any, per_function: NDArray[np.float64]) -> Gradient:
        """Return the derivatives of the sum of fitted functions times these cotangents."""

    def reweight(self, sample_weight: object) -> None:
        """Refuse: the model does not move.

        Parameters
        ----------
        sample_weight : object
            Not used.

        Raises
        ------
        TypeError
            Always; it says what moves instead.
        """
        self.move()

    def move(self, **destination: object) -> None:
        """Refuse, as :meth:`reweight`.

        Parameters
        ----------
        **destination
            Not used.

        Raises
        ------
        TypeError
            Always; it says what moves instead.
        """
        name, method = type(self).__name__, self.kind_method
        raise TypeError(
            f"{name} does not move: with nu fixed, its parameters change with the weights, and not "
            f"on a straight line. Fit again, or move model.{method}(), the {self.kind.__name__} at "
            "the same solution."
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _fit(self, X: Any, *data: Any) -> Self:
        """Fit a draft, which replaces the model if all goes well."""
        draft = copy(self)
        draft.__dict__.pop("_fitted", None)
        fitted = draft._set_out(X, *data)
        for subproblem in fitted.subproblems:
            warn_beyond_precision(subproblem.stair, subproblem.state)
        draft._fitted = fitted
        found = fitted.attributes
        draft.__dict__.update({name: found[name] for name in self.shown})
        self.__dict__ = draft.__dict__
        return self

    def _where(self) -> Fitted:
        check_is_fitted(self)
        return self._fitted

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the fitted functions at some instances."""
        X = check_instances(self, X)
        values: NDArray[np.float64] = self._fitted.attributes["_expansion"].values(X)
        return values

    def _effort(self) -> Effort:
        return Effort(check_number("tol", self.tol), check_number("cache_size", self.cache_size))

    def _options(self, ridge: float) -> Options:
        most = check_whole_number("max_events", self.max_events, 1)
        return Options(ridge=ridge, max_events=most)

    def _as_kind(self, fitted: Fitted, **params: Any) -> Any:
        """Return the estimator that the model is one of, fitted."""
        own = self.get_params(deep=False)
        names = self.kind().get_params(deep=False)
        model = self.kind(**{**{name: own[name] for name in names if name in own}, **params})
        for name in ("n_features_in_", "feature_names_in_"):
            if name in self.__dict__:
                setattr(model, name, self.__dict__[name])
        install(model, fitted)
        return model
