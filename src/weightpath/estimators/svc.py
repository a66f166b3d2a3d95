"""The weighted support vector classifier."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import ClassVar

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from weightpath.estimators.checks import check_number, check_weights, per_row, products
from weightpath.estimators.class_weights import balanced_factors, is_balanced, resolve_class_weight
from weightpath.estimators.first_guess import guess_classifier
from weightpath.estimators.labelled_rows import LabelledRowExchange
from weightpath.estimators.one_vs_one import OneVsOneClassifier
from weightpath.estimators.parts import Part
from weightpath.path import Reading
from weightpath.problems import hinge_staircase

__all__ = ["SVC"]


class SVC(OneVsOneClassifier, LabelledRowExchange):
    r"""Weighted support vector classification with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, [\delta_i - y_i (w'\phi(x_i) + b)]_+, \qquad
        C_i = C \cdot \text{class\_weight} \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i` or the margins :math:`\delta_i` (one by
    default) change. Several classes are treated one against one, as in scikit-learn.

    ``move`` takes ``C``, ``sample_weight`` and ``margin``: each alone or together, on a straight
    line of all :math:`C_i` and :math:`\delta_i`.

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
        Factors of C for each class. "balanced" means total weight / (n_classes * weight of the
        class), made anew whenever instance weights move, so that every model equals a fresh fit.
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from. The result is exact
        whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and its own record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, as each has a diagonal entry of its own.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
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
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

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
    _lines = ("C_", "class_weight_")
    _shown: ClassVar[dict[str, str]] = {"weights_": "weight", "margin_": "margin"}
    _fixed = (*LabelledRowExchange._fixed, "_balanced")

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

    def fit(self, X, y, sample_weight=None, margin=None):
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples). They are copied, but for arrays that are read-only or memory-mapped.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.
        margin : float or array-like of shape (n_samples,) or None, default=None
            The margin asked of each instance; one if not given. It may be zero or negative.

        Returns
        -------
        self : SVC
        """
        with self._all_or_nothing() as draft:
            draft._set_problem(X, y, sample_weight, margin)
            draft._solve()
            draft._publish()
        return self

    def _set_problem(self, X, y, sample_weight, margin) -> None:
        """Check the parameters and the data, and set what they define."""
        C = check_number("C", self.C)
        self._check_shape()
        self._check_settings(X)
        X, y = self._validate(X, y, reset=True)
        check_classification_targets(y)
        n = X.shape[0]
        weight = check_weights("sample_weight", sample_weight, n)
        margin = np.ones(n) if margin is None else per_row("margin", margin, n)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "SVC needs at least two classes in y: the number of classes has to be greater than "
                f"one, got {len(classes)} class."
            )
        self.classes_, self._labels = classes, labels
        self._check_quantities({"weight": weight}, labels)
        self._set_kernel(X, weight)
        self._balanced = is_balanced(self.class_weight)
        factors = resolve_class_weight(self.class_weight, classes, labels, weight)
        self.C_, self.class_weight_ = C, factors
        self._quantities = {"weight": products(C, factors[labels], weight), "margin": margin}
        self._check_quantities(self._quantities, labels)

    def _solve(self) -> None:
        """Set the parts, solved."""
        # With two classes the second is the positive one; of a pair of several, the first is.
        several = len(self.classes_) > 2
        self._pairs = list(combinations(range(len(self.classes_)), 2)) if several else [(1, 0)]
        self._parts = tuple(self._solved_pair(pair) for pair in self._pairs)

    def _solved_pair(self, pair) -> Part:
        rows = np.flatnonzero(np.isin(self._labels, pair))
        reading = self._reading(rows, pair, self._labels)
        weight = self._quantities["weight"][rows]
        guess = partial(guess_classifier, self._kernel, reading.sign, weight)
        return self._solved_part(rows, reading, len(self._pairs), guess)

    def _staircase(self, rows, reading, quantities):
        return hinge_staircase(reading.sign, quantities["weight"][rows], quantities["margin"][rows])

    def _reading(self, rows, pair, labels):
        return Reading("svc", np.where(labels[rows] == pair[0], 1.0, -1.0))

    def _check_quantities(self, quantities, labels) -> None:
        weight = quantities["weight"]
        if not np.isfinite(weight).all():
            raise ValueError("C * class_weight * sample_weight overflows. Use smaller numbers.")
        n_classes = len(self.classes_)
        empty = np.flatnonzero(np.bincount(labels, weight, minlength=n_classes) <= 0)
        if empty.size:
            name = repr(self.classes_.tolist()[empty[0]])
            gone = not (labels == empty[0]).any()
            what = (
                f"No instance of class {name} is left"
                if gone
                else (f"All weights of class {name} are zero")
            )
            raise ValueError(
                f"{what}: every class needs an instance of positive weight. Keep one, if only with "
                "a small weight, or fit again without the class."
            )

    def _aim(self, targets):
        n = self._X.shape[0]
        quantities, attributes = dict(self._quantities), {}
        C = check_number("C", targets["C"]) if "C" in targets else self.C_
        if "C" in targets:
            attributes["C_"] = C
            quantities["weight"] = products(quantities["weight"], C / self.C_)
        if "sample_weight" in targets:
            weight = check_weights("sample_weight", targets["sample_weight"], n)
            quantities["weight"] = products(C, self.class_weight_[self._labels], weight)
            self._check_quantities(quantities, self._labels)
            quantities, changed = self._rebalanced(self._labels, quantities)
            attributes.update(changed)
        if "margin" in targets:
            quantities["margin"] = per_row("margin", targets["margin"], n)
        return quantities, attributes

    def _rebalanced(self, labels, quantities):
        """Make the factors of ``class_weight="balanced"`` anew, as a fit would."""
        if not self._balanced:
            return quantities, {}
        weight = quantities["weight"] / self.class_weight_[labels]
        factors = balanced_factors(len(self.classes_), labels, weight)
        return {**quantities, "weight": factors[labels] * weight}, {"class_weight_": factors}
