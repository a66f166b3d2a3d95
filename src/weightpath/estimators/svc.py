"""The weighted support vector classifier."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import center_bias, solve
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import (
    check_number,
    check_precomputed,
    check_psd,
    check_weights,
    per_row,
)
from weightpath.estimators.class_weights import resolve_class_weight
from weightpath.estimators.first_guess import guess_classifier
from weightpath.estimators.kernel_choice import choose_kernel
from weightpath.estimators.parts import Part
from weightpath.estimators.votes import one_vs_rest_values, vote
from weightpath.path import Reading, SolutionPath
from weightpath.problems import hinge_staircase

__all__ = ["SVC"]


class SVC(ClassifierMixin, PathEstimator):
    r"""Weighted support vector classification with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, [\delta_i - y_i (w'\phi(x_i) + b)]_+, \qquad
        C_i = C \cdot \text{class\_weight} \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i` or the margins :math:`\delta_i` (one by
    default) change. Several classes are treated one against one, as in scikit-learn.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is 1 / (n_features * variance of X),
        with the *weighted* variance, so that weight 2 equals two copies. It is resolved by ``fit``
        (``gamma_``); moving never changes the kernel.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class. "balanced" uses weighted class sizes.
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from. The result is exact
        whatever its value.
    cache_size : float, default=200
        Memory for kernel columns in MB.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6.
    max_events : int, default=1_000_000
        Paths stop after this many events, with a warning.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes.
    break_ties : bool, default=False
        Whether ``predict`` breaks ties of votes by ``decision_function``; needs "ovr".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Training rows with a coefficient, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients, laid out as in scikit-learn.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The bias, the middle of its interval where it is not unique.
    coef_ : ndarray of shape (n_pairs, n_features)
        Weights of the features; linear kernel only.
    weights_ : ndarray of shape (n_samples,)
        The ``C_i`` that the model sits at.
    margin_ : ndarray of shape (n_samples,)
        The margins that the model sits at.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C for each class.
    C_ : float
        The trade-off parameter that the model sits at.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama, I. Takeuchi, "Multi-parametric solution-path
       algorithm for instance-weighted support vector machines", Machine Learning 88, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> path = model.reweight(np.where(toy.cost == 1, 0.5, 1.0))
    >>> bool(path.kkt_violation() < 1e-9)
    True
    """

    _moves = ("C", "sample_weight", "margin")

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        class_weight=None,
        tol=1e-3,
        cache_size=200,
        ridge=0.0,
        max_events=1_000_000,
        decision_function_shape="ovr",
        break_ties=False,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not callable(self.kernel)
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # Fitting -------------------------------------------------------------------------------

    def fit(self, X, y, sample_weight=None, margin=None):
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its (n_samples, n_samples) matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.
        margin : float or array-like of shape (n_samples,) or None, default=None
            The margin asked of each instance; one if not given.

        Returns
        -------
        self : SVC
        """
        C = check_number("C", self.C)
        tol = check_number("tol", self.tol)
        options = self._options()
        self._check_shape()
        X, y = self._validate(X, y, reset=True)
        check_classification_targets(y)
        n = X.shape[0]
        weight = check_weights("sample_weight", sample_weight, n)
        margin = np.ones(n) if margin is None else per_row("margin", margin, n)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "SVC needs at least two classes in y; the number of classes has to be greater "
                f"than one, got {len(classes)} class."
            )
        if self.kernel == "precomputed":
            check_precomputed(X)
        self.classes_ = classes
        self._check_quantities({"weight": weight}, labels)
        kernel = choose_kernel(self, X, weight)
        factors = resolve_class_weight(self.class_weight, classes, labels, weight)
        self._kernel, self._X, self._labels = kernel, X, labels
        self.gamma_, self.C_, self.class_weight_ = kernel.gamma, C, factors
        self._quantities = {"weight": C * factors[labels] * weight, "margin": margin}
        # With two classes the second is the positive one; of a pair of several, the first is.
        many = len(classes) > 2
        self._pairs = list(combinations(range(len(classes)), 2)) if many else [(1, 0)]
        self._parts = tuple(self._fit_pair(pair, tol, options) for pair in self._pairs)
        self._publish()
        return self

    def _fit_pair(self, pair, tol, options) -> Part:
        rows = np.flatnonzero(np.isin(self._labels, pair))
        reading = self._reading(rows, pair, self._labels)
        columns = self._columns(self._X, rows, len(self._pairs))
        check_psd(self._kernel, columns, options.ridge)
        stair = self._staircase(rows, reading, self._quantities)
        own = self._X[rows]
        if self._kernel.name == "precomputed":
            own = own[:, rows]
        beta, bias = guess_classifier(
            self._kernel,
            own,
            reading.sign,
            self._quantities["weight"][rows],
            tol,
            self.cache_size / len(self._pairs),
        )
        state = solve(columns, stair, beta, bias, options)
        return Part(rows, reading, columns, stair, center_bias(stair, state))

    def _check_shape(self) -> None:
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                'decision_function_shape must be "ovr" or "ovo", got '
                f"{self.decision_function_shape!r}."
            )
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError('break_ties=True needs decision_function_shape="ovr".')

    def _staircase(self, rows, reading, quantities):
        return hinge_staircase(reading.sign, quantities["weight"][rows], quantities["margin"][rows])

    def _reading(self, rows, pair, labels):
        return Reading("svc", np.where(labels[rows] == pair[0], 1.0, -1.0))

    def _check_quantities(self, quantities, labels) -> None:
        total = np.bincount(labels, quantities["weight"], minlength=len(self.classes_))
        empty = np.flatnonzero(total <= 0)
        if empty.size:
            raise ValueError(
                f"All weights of class {self.classes_[empty[0]]!r} are zero. Every class needs some "
                "weight: give it a small positive one, or leave the class out of the fit."
            )

    # Moving --------------------------------------------------------------------------------

    def _aim(self, targets):
        n = self._X.shape[0]
        quantities = dict(self._quantities)
        attributes = {}
        C = self.C_
        if "C" in targets:
            C = check_number("C", targets["C"])
            attributes["C_"] = C
            quantities["weight"] = quantities["weight"] * (C / self.C_)
        if "sample_weight" in targets:
            if targets["sample_weight"] is None:
                raise ValueError("sample_weight must be given: one weight for each instance.")
            weight = check_weights("sample_weight", targets["sample_weight"], n)
            factors = self.class_weight_
            self._check_quantities({"weight": weight}, self._labels)
            if isinstance(self.class_weight, str):
                factors = resolve_class_weight(
                    self.class_weight, self.classes_, self._labels, weight
                )
                attributes["class_weight_"] = factors
            quantities["weight"] = C * factors[self._labels] * weight
        if "margin" in targets:
            quantities["margin"] = per_row("margin", targets["margin"], n)
        return quantities, attributes

    def add(self, X, y, sample_weight=None, margin=None) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,)
            Their labels, of classes that the model knows.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.
        margin : float or array-like of shape (n_new,) or None, default=None
            Their margins; one if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        check_is_fitted(self)
        X, new = self._arrivals(X, y, sample_weight, margin)
        return self._exchange_rows(X, new, np.ones(self._X.shape[0], dtype=bool), {})

    def slide(self, X, y, drop=0, sample_weight=None, margin=None) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set.
        y : array-like of shape (n_new,)
            Their labels.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.
        margin : float or array-like of shape (n_new,) or None, default=None
            Margins of the arrivals; one if not given.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        if not isinstance(drop, (int, np.integer)) or not 0 <= drop <= n:
            raise ValueError(f"drop must be a whole number from 0 to {n}, got {drop!r}.")
        X, new = self._arrivals(X, y, None, margin)
        final = {}
        if sample_weight is not None:
            labels = np.append(self._labels[drop:], new["labels"])
            weight = check_weights("sample_weight", sample_weight, len(labels))
            final["weight"] = self.C_ * self.class_weight_[labels] * weight
        return self._exchange_rows(X, new, np.arange(n) >= drop, final)

    def _arrivals(self, X, y, sample_weight, margin):
        """Check new instances; return them with their labels and quantities."""
        if self._kernel.name == "precomputed":
            X = np.ascontiguousarray(np.atleast_2d(np.asarray(X, dtype=np.float64)))
            if not np.isfinite(X).all():
                raise ValueError("X contains NaN or infinity.")
        else:
            X = self._validate(X)
        y = np.atleast_1d(np.asarray(y))
        if y.shape != (X.shape[0],):
            raise ValueError(f"y has shape {y.shape}, expected ({X.shape[0]},).")
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise ValueError(
                f"y contains the label {y[unknown][0]!r}, which the model does not know; its "
                f"classes are {list(self.classes_)}. Fit again to add a class."
            )
        labels = np.searchsorted(self.classes_, y)
        weight = check_weights("sample_weight", sample_weight, len(y))
        margin = np.ones(len(y)) if margin is None else per_row("margin", margin, len(y))
        weight = self.C_ * self.class_weight_[labels] * weight
        return X, {"labels": labels, "weight": weight, "margin": margin}

    # Predicting ----------------------------------------------------------------------------

    def _publish(self) -> None:
        n, n_classes = self._X.shape[0], len(self.classes_)
        coef = np.zeros((n, len(self._parts)))
        for k, part in enumerate(self._parts):
            coef[part.rows, k] = part.state.beta
        used = coef.any(axis=1)
        order = np.lexsort((np.arange(n), self._labels))
        self.support_ = order[used[order]].astype(np.int32)
        labels = self._labels[self.support_]
        self.n_support_ = np.bincount(labels, minlength=n_classes).astype(np.int32)
        pairwise = self._kernel.name == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if pairwise else self._X[self.support_]
        self._coef = coef[self.support_]
        self.intercept_ = np.array([part.state.bias for part in self._parts])
        self.dual_coef_ = self._coef.T
        if n_classes > 2:
            # Row r of a class's columns: its coefficients against the r-th of the other classes.
            self.dual_coef_ = np.zeros((n_classes - 1, len(self.support_)))
            for k, (a, b) in enumerate(self._pairs):
                self.dual_coef_[b - 1, labels == a] = self._coef[labels == a, k]
                self.dual_coef_[a, labels == b] = self._coef[labels == b, k]
        self.weights_ = self._quantities["weight"]
        self.margin_ = self._quantities["margin"]

    @property
    def coef_(self):
        """Weights of the features, one row for each pair of classes; linear kernel only."""
        check_is_fitted(self)
        if self._kernel.name != "linear":
            raise AttributeError("coef_ is only available with kernel='linear'.")
        return np.asarray((self.support_vectors_.T @ self._coef).T)

    def kkt_violation(self) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-12.

        See :meth:`weightpath.SolutionPath.kkt_violation`.
        """
        check_is_fitted(self)
        from weightpath.path.certificate import kkt_violation

        worst = 0.0
        for part in self._parts:
            own = self._X[part.rows]
            if self._kernel.name == "precomputed":
                own = own[:, part.rows]
            response = self._kernel.product(own, own, part.state.beta)
            response += self.ridge * part.state.beta
            violation = kkt_violation(part.stair, part.state.beta, part.state.bias, response)
            worst = max(worst, violation)
        return worst

    def _pairwise(self, X) -> np.ndarray:
        check_is_fitted(self)
        X = self._validate(X)
        if self._kernel.name == "precomputed":
            X = X[:, self.support_]
        return self._kernel.product(X, self.support_vectors_, self._coef) + self.intercept_

    def decision_function(self, X) -> np.ndarray:
        """Return the decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            Two classes: positive for ``classes_[1]``. More: by ``decision_function_shape``.
        """
        values = self._pairwise(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        self._check_shape()
        if self.decision_function_shape == "ovo":
            return values
        return one_vs_rest_values(values, self._pairs, len(self.classes_))

    def predict(self, X) -> np.ndarray:
        """Return the predicted class of each row of ``X``."""
        values = self._pairwise(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return self.classes_[(values[:, 0] > 0).astype(np.intp)]
        self._check_shape()
        if self.break_ties:
            best = one_vs_rest_values(values, self._pairs, n_classes).argmax(axis=1)
        else:
            best = vote(values, self._pairs, n_classes).argmax(axis=1)
        return self.classes_[best]
