"""What the regressions share: targets, weights ``C_i``, and instances that come and go."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.checks import (
    check_number,
    check_some_weight,
    check_weights,
    per_row,
    products,
)
from weightpath.estimators.expansion import SingleExpansion
from weightpath.estimators.row_exchange import RowExchange
from weightpath.path import SolutionPath

__all__ = ["KernelRegressor"]


class KernelRegressor(RegressorMixin, SingleExpansion, RowExchange):
    """A regression with the quantities "weight", "target" and those of the subclass."""

    _lines = ("C_",)

    C: float
    C_: float

    # What a subclass defines ---------------------------------------------------------------

    def _shape_quantities(self, n: int) -> dict:
        """Return the subclass's own quantities of a fit to ``n`` instances."""
        raise NotImplementedError

    def _shape_of_arrivals(self, n: int) -> dict:
        """Return the subclass's own quantities of new instances."""
        raise NotImplementedError

    def _solve(self, rows) -> None:
        """Set the part, solved."""
        raise NotImplementedError

    # The common methods --------------------------------------------------------------------

    def fit(self, X, y, sample_weight=None):
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples). They are copied, but for arrays that are read-only or memory-mapped.
        y : array-like of shape (n_samples,)
            The values to fit.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.

        Returns
        -------
        self : object
            The model itself.
        """
        with self._all_or_nothing() as draft:
            rows = draft._set_problem(X, y, sample_weight)
            draft._solve(rows)
            draft._publish()
        return self

    def predict(self, X) -> np.ndarray:
        """Return the predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            The values of the fitted function.
        """
        return self._values(X)[:, 0]

    def add(self, X, y, sample_weight=None) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,)
            Their targets.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        check_is_fitted(self)
        keep = np.ones(self._X.shape[0], dtype=bool)
        X, labels, new = self._arrivals(X, y, sample_weight)
        return self._exchange_rows(X, labels, new, keep, {})

    def slide(self, X, y, drop=0, sample_weight=None) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : array-like of shape (n_new,)
            Their targets.
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
        check_is_fitted(self)
        X, labels, new = self._arrivals(X, y, None)
        keep, final = self._window(drop, sample_weight, labels)
        return self._exchange_rows(X, labels, new, keep, final)

    # Behind them ---------------------------------------------------------------------------

    def _set_problem(self, X, y, sample_weight) -> np.ndarray:
        """Check the parameters and the data, and set what they define; return the rows."""
        C = check_number("C", self.C)
        self._check_settings(X)
        X, y = self._validate(X, y, reset=True, y_numeric=True)
        n = X.shape[0]
        weight = check_weights("sample_weight", sample_weight, n)
        check_some_weight(weight)
        target = np.array(y, dtype=np.float64)
        own = self._shape_quantities(n)
        self._set_kernel(X, weight)
        self.C_ = C
        self._quantities = {"weight": products(C, weight), "target": target, **own}
        rows = self._set_rows(n)
        self._check_quantities(self._quantities, self._labels)
        return rows

    def _check_quantities(self, quantities, labels) -> None:
        check_some_weight(quantities["weight"])

    def _own_weights(self, sample_weight, labels) -> np.ndarray:
        return products(self.C_, sample_weight)

    def _aim(self, targets):
        n = self._X.shape[0]
        quantities, attributes = dict(self._quantities), {}
        C = check_number("C", targets["C"]) if "C" in targets else self.C_
        if "C" in targets:
            attributes["C_"] = C
            quantities["weight"] = products(quantities["weight"], C / self.C_)
        if "sample_weight" in targets:
            weight = check_weights("sample_weight", targets["sample_weight"], n)
            quantities["weight"] = products(C, weight)
        if "y" in targets:
            quantities["target"] = per_row("y", targets["y"], n)
        return quantities, attributes

    def _arrivals(self, X, y, sample_weight, **own):
        """Check new instances; return them, their labels and their quantities."""
        X = self._arriving(X)
        n = X.shape[0]
        y = np.atleast_1d(np.asarray(y))
        if y.shape != (n,):
            raise ValueError(
                f"y has shape {y.shape}, expected ({n},): one target for each row of X."
            )
        labels = np.zeros(n, dtype=np.intp)
        weight = check_weights("sample_weight", sample_weight, n)
        new = {"weight": self._own_weights(weight, labels), "target": per_row("y", y, n)}
        return X, labels, {**new, **self._shape_of_arrivals(n, **own)}
