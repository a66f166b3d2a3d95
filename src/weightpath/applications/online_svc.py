"""Classification of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from itertools import combinations
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from weightpath.applications.forgetting_window import Forgetting, WindowStep
from weightpath.applications.online_model import OnlineModel
from weightpath.estimators import SVC
from weightpath.estimators.checks import check_number
from weightpath.estimators.class_weights import are_all_weighted
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.sliding import Slider
from weightpath.metrics.votes import one_vs_rest_values

__all__ = ["OnlineSVC"]

# Of so many labels and more scikit-learn warns where most of them differ.
_FEW = 20


@final
class OnlineSVC(ClassifierMixin, OnlineModel):
    r"""A support vector classifier over the newest rows of a stream, exact after every arrival.

    The window holds the newest rows. When rows arrive the oldest depart, and the weights of all
    move to ``forgetting``: on one exact path of :class:`weightpath.SVC`, so that the model always
    is the one that a fit to the window from scratch would give.

    Classes may come and go. While the window holds one class only it is what is predicted. When
    the classes in the window change, the model is fitted from scratch and ``path_`` is None.

    Parameters
    ----------
    window : int or None, default=None
        How many rows the window holds at most; None forgets none.
    forgetting : float, callable or None, default=3.0
        The weights of the rows in the window, in units of C: a number ``a`` for
        ``weightpath.weights.forgetting(n, a)``; a function that returns the weights of ``n`` rows,
        oldest first; or None for equal weights. The default is the paper's.
    C : float, default=1.0
        Trade-off parameter.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is resolved from the window that holds
        two classes for the first time and then stays (``gamma_``), until ``fit``: where rows
        arrive one by one, give a number or begin with ``fit``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class; a dict may leave classes out, which have the factor 1.
        "balanced" is recomputed with every arrival, for the classes that the window holds.
    tol : float, default=1e-3
        Tolerance of the approximate solution that a fit from scratch starts from.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix.
    max_events : int, default=1_000_000
        A path of more events is given up for a fit from scratch.
    follow_paths : bool, default=False
        Whether the way to every new window is followed at once, event by event. Otherwise its end
        is found without the way where that is quicker, as exact and as well verified, and the path
        is followed when ``path_`` is read. Below the default of ``max_events`` it always is.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes.
    break_ties : bool, default=False
        Whether ``predict`` breaks ties of votes by ``decision_function``; needs "ovr".

    Attributes
    ----------
    svc_ : SVC or None
        The model of the window; None while it holds one class only.
    path_ : SolutionPath or None
        The path of the last arrivals, followed when it is read unless it was before; None if they
        led to a fit from scratch.
    classes_ : ndarray of shape (n_classes,)
        All classes seen so far, or those announced.
    window_X_, window_y_, window_weight_ : ndarray
        What the window holds, oldest first; the weights are in units of C.
    gamma_ : float
        The resolved coefficient of the kernel, from the first ``svc_`` on.
    n_seen_ : int
        How many rows have been learnt.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the first rows had any.

    See Also
    --------
    weightpath.applications.prequential : Test, then train, over a stream.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (80, 2))
    >>> y = np.where(X[:, 0] + np.linspace(-1, 1, 80) * X[:, 1] > 0, "up", "down")
    >>> model = wp.OnlineSVC(window=50, forgetting=3.0, C=10.0, gamma=0.5).fit(X[:50], y[:50])
    >>> for start in range(50, 80, 5):
    ...     model = model.partial_fit(X[start : start + 5], y[start : start + 5])
    >>> fresh = wp.SVC(C=10.0, gamma=0.5)
    >>> fresh = fresh.fit(X[30:], y[30:], sample_weight=wp.weights.forgetting(50, 3.0))
    >>> bool(np.allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-9))
    True
    """

    _kind = SVC

    classes_: NDArray[Any]
    # The classes that the window holds with a weight.
    _present: NDArray[Any]

    def __init__(
        self,
        window: int | None = None,
        *,
        forgetting: Forgetting = 3.0,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        follow_paths: bool = False,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
    ) -> None:
        self.window = window
        self.forgetting = forgetting
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
        self.follow_paths = follow_paths
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    @property
    def svc_(self) -> SVC | None:
        """The model of the window; None while it holds one class."""
        slider = self._learnt_slider("svc_")
        return None if slider is None else slider.model

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything and learn these rows; of more than the window holds, the last.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Instances, oldest first.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        self : OnlineSVC
        """
        draft = self._forgotten()
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn arrivals: they enter, the oldest leave, and all weights move, on one path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals, oldest first.
        y : array-like of shape (n_new,)
            Their labels.
        classes : array-like of shape (n_classes,) or None, default=None
            All classes that can come. Not needed; if given, other labels are an error.

        Returns
        -------
        self : OnlineSVC
        """
        draft = self.__copy__()
        if classes is not None:
            draft._announce(classes)
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            Two classes: positive for ``classes_[1]``. More: by ``decision_function_shape``. A class
            that the window does not hold is at the distance of the margin from each that it does.
        """
        X = self._validated(X)
        if self.svc_ is not None and np.array_equal(self.svc_.classes_, self.classes_):
            return self.svc_.decision_function(X)
        pairs = list(combinations(range(len(self.classes_)), 2))
        values = self._pairwise(X, pairs)
        if len(self.classes_) <= 2:
            # Of two classes the second is the positive one; of a pair of several, the first is.
            return -values[:, 0] if pairs else np.ones(X.shape[0])
        if self.decision_function_shape == "ovo":
            return values
        return one_vs_rest_values(values, pairs, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Labels of classes that the window holds.
        """
        return self._predict_rows(self._validated(X))

    def _predict_rows(self, X: Any) -> NDArray[Any]:
        if self.svc_ is not None:
            return self.svc_.predict(X)
        return np.repeat(self._present, X.shape[0])

    def _pairwise(self, X: Any, pairs: list[tuple[int, int]]) -> NDArray[np.float64]:
        """Return values of all pairs of classes, positive for the first of each.

        Without instances of one class the best function is the constant at the other's margin.
        """
        held = np.isin(self.classes_, self._present)
        values = np.empty((X.shape[0], len(pairs)))
        values[:] = [float(held[a]) - float(held[b]) for a, b in pairs]
        if self.svc_ is not None:
            inner = copy(self.svc_).set_params(decision_function_shape="ovo", break_ties=False)
            own = inner.decision_function(X).reshape(X.shape[0], -1)
            number = np.flatnonzero(held)
            for k, subproblem in enumerate(self.svc_.subproblems_):
                first, second = number[list(subproblem.pair)]
                flip = 1.0 if first < second else -1.0
                place = pairs.index((min(first, second), max(first, second)))
                values[:, place] = flip * own[:, k]
        return values

    def _announce(self, classes: ArrayLike) -> None:
        """Take the classes that can come."""
        classes = np.unique(np.asarray(classes))
        known = getattr(self, "classes_", classes)
        if getattr(self, "_announced", False) and not np.array_equal(classes, known):
            raise ValueError(
                f"classes={classes.tolist()} differs from what was announced before: "
                f"{known.tolist()}."
            )
        strange = [label for label in known.tolist() if label not in classes.tolist()]
        if strange:
            raise ValueError(f"classes lacks {strange[0]!r}, which the model has seen.")
        self.classes_, self._announced = classes, True

    def _is_plain_target(self, y: Any, n: int) -> bool:
        return isinstance(y, np.ndarray) and y.shape == (n,) and self._codes(y) is not None

    def _codes(self, y: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return the index of each label among the known classes; ``None`` if that is not plain.

        Of many labels scikit-learn looks whether they could be targets of a regression.
        """
        classes = getattr(self, "classes_", None)
        if classes is None or y.dtype.kind != classes.dtype.kind or y.dtype.kind not in "biuU":
            return None
        if len(y) > _FEW and 2 * len(classes) > len(y):
            return None
        if len(y) <= _FEW:
            number = {label: k for k, label in enumerate(classes.tolist())}
            found = [number.get(label, -1) for label in y.tolist()]
            return None if -1 in found else np.array(found, dtype=np.intp)
        codes = np.minimum(classes.searchsorted(y), len(classes) - 1)
        return codes if (classes[codes] == y).all() else None

    def _check_targets(self, y: NDArray[Any]) -> NDArray[Any]:
        check_classification_targets(y)
        seen = np.unique(y)
        if not hasattr(self, "classes_"):
            self.classes_ = seen
            return y
        known = self.classes_.tolist()
        if (seen.dtype.kind in "US") != (self.classes_.dtype.kind in "US"):
            raise ValueError(
                f"y mixes words and numbers: got {seen[0]!r}, the classes are {known}."
            )
        strange = [label for label in seen.tolist() if label not in known]
        if strange and getattr(self, "_announced", False):
            raise ValueError(
                f"y contains the label {strange[0]!r}, which is not among the announced classes "
                f"{known}."
            )
        self.classes_ = np.union1d(self.classes_, seen)
        return y

    def _absorb(self, step: WindowStep) -> Any:
        if self._keeps_classes(step):
            factors = self._class_factors(self._present.tolist())
            old = self._slider
            return self._learn_held(step, old, None, step.n_departed, self._present, factors)
        factors = self._class_factors(np.unique(step.y).tolist())
        counts = step.weight * np.array([factors[label] for label in step.y.tolist()]) > 0
        present = np.unique(step.y[counts])
        if present.size == 0:
            raise ValueError("All weights are zero: forgetting must leave some row a weight.")
        if present.size == 1:
            self._slider, self._present = None, present
            return step.X
        old, drop = self.__dict__.get("_slider"), 0
        if old is not None and np.array_equal(old.problem.classes, present):
            drop = int(np.isin(self._rows.y[: step.n_departed], present).sum())
        else:
            old = None
        held = np.isin(step.y, present)
        some = None if held.all() else held
        return self._learn_held(step, old, some, drop, present, factors)

    def _keeps_classes(self, step: WindowStep) -> bool:
        """Whether the model holds all rows of the window, before the step and after it."""
        slider = self.__dict__.get("_slider")
        if slider is None or len(labels := slider.labels) != step.n_before:
            return False
        codes = self._codes(step.y_new)
        if codes is None or len(slider.problem.classes) != len(self.classes_):
            return False
        # By name there may be factors of zero now; where they are "balanced" there are none.
        if self._weighs_by_name() and self.class_weight != slider.settings["class_weight"]:
            return False
        labels, n_classes = labels[step.n_departed :], len(self.classes_)
        if are_all_weighted(labels, step.weight, n_classes):
            # Without the arrivals, too; mostly they are not needed for it.
            return True
        return are_all_weighted(np.concatenate([labels, codes]), step.weight, n_classes)

    def _learn_held(
        self,
        step: WindowStep,
        old: Slider | None,
        held: NDArray[np.bool_] | None,
        drop: int,
        present: NDArray[Any],
        factors: dict[Any, float],
    ) -> Any:
        """Learn the rows of the classes that are present; return all instances of the window.

        ``held`` says which they are, ``None`` for all. ``old`` is the model that slides there when
        it drops so many rows, ``None`` if none does.
        """
        other = {}
        if self._weighs_by_name():
            other["class_weight"] = {label: factors[label] for label in present.tolist()}
        X_new, y_new, weight = step.X_new, step.y_new, step.weight
        if held is not None:
            new = held[len(held) - len(y_new) :]
            X_new, y_new, weight = X_new[new], y_new[new], weight[held]

        def rows() -> tuple[Any, NDArray[Any]]:
            return (step.X, step.y) if held is None else (step.X[held], step.y[held])

        self._follow(old, other, X_new, y_new, weight, drop, rows)
        self._present = present
        assert self._slider is not None
        return self._slider.X if held is None else step.X

    def _class_factors(self, labels: list[Any]) -> dict[Any, float]:
        """Return the factor that ``class_weight`` gives each label by name."""
        named: Any = self.class_weight
        if not self._weighs_by_name():
            return dict.fromkeys(labels, 1.0)
        return {
            label: check_number(f"class_weight[{label!r}]", named.get(label, 1.0), strict=False)
            for label in labels
        }

    def _weighs_by_name(self) -> bool:
        """Whether ``class_weight`` names factors of classes."""
        return self.class_weight is not None and isinstance(self.class_weight, Mapping)
