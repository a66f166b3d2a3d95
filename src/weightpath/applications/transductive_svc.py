"""Transductive support vector classification."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.applications.provisional_labels import ProvisionalLabels, StoppedError
from weightpath.applications.transduction_model import all_rows_model, first_labels, kept_path
from weightpath.applications.transduction_run import SCHEDULES, Plan, Step, TransductionRun
from weightpath.applications.unlabelled_input import PartlyLabelled, partly_labelled
from weightpath.applications.values_on_paths import ValuesOnPaths
from weightpath.engine import Options
from weightpath.estimators import SVC
from weightpath.estimators.checks import check_fraction, check_number, check_whole_number
from weightpath.estimators.kernel_choice import KernelFunction, choose_kernel
from weightpath.estimators.problem import Fitted
from weightpath.estimators.solved_elsewhere import install

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.applications.transduction_display import TransductionDisplay

__all__ = ["TransductiveSVC"]


class TransductiveSVC(ClassifierMixin, BaseEstimator):
    r"""Support vector classification with rows that have no label, after Joachims.

    Minimises, over the labels :math:`y^*_j` of the unlabelled rows as well,

    .. math::

        \tfrac12 \|w\|^2 + C \sum_i [1 - y_i f(x_i)]_+ + C^* \sum_j [1 - y^*_j f(x^*_j)]_+ ,

    with a fixed number of positive :math:`y^*_j`, by a local search [1]_: the labels first follow
    the model of the labelled rows, then pairs of them are switched while :math:`C^*` grows from
    almost nothing. Every change of weights or labels is an exact path [2]_, so every model on the
    way is the one that a fit from scratch would give.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the labelled rows.
    C_star : float or None, default=None
        Final weight of the unlabelled rows; that of the labelled ones if not given.
    kernel, degree, gamma, coef0 : as in :class:`~weightpath.SVC`
        The kernel. ``gamma="scale"`` uses the variance of all rows, labelled or not.
    positive_fraction : float or None, default=None
        The fraction of the unlabelled rows that belongs to the second class, ``classes_[1]``; that
        of the labelled rows if not given. Their number is rounded.
    schedule : {"doubling", "annealed"}, default="doubling"
        How the weight grows: doubled after all switches at a weight, as Joachims does, or
        continuously, with every switch at the exact weight where it first lowers the objective.
    start : float, default=1e-5
        The first weight of unlabelled rows, as a fraction of ``C_star``.
    max_switches : int, default=100_000
        The search stops after this many switches, with a warning.
    tol, cache_size, ridge, max_events : as in :class:`~weightpath.SVC`
        Of the models and paths. "annealed" may take the memory ``cache_size`` a second time.
    keep_paths : bool, default=False
        Whether to keep all paths, in ``paths_``.
    verbose : int, default=0
        From 1 on, progress is shown on standard error.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,)
        The labels of all rows: those given and, for the others, those found.
    svc_ : SVC
        The model, an ordinary fitted estimator on all rows.
    initial_svc_ : SVC
        The model of the labelled rows alone.
    classes_ : ndarray of shape (2,)
        Class labels.
    history_ : list of Step
        Every path: its ``kind`` ("start", "weights" or "switch"), the weights ``C_minus`` and
        ``C_plus`` of unlabelled rows labelled as the first and the second class, the ``objective``
        afterwards, ``n_events``, and the ``rows`` that were switched. A switch never raises the
        objective.
    n_switches_ : int
        How many pairs were switched.
    n_iter_ : int
        How many paths were followed.
    paths_ : list of SolutionPath
        With ``keep_paths=True``: the paths of ``history_[1:]``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    As in Joachims' method, the first weights :math:`C^*_-` and :math:`C^*_+` are in the ratio of
    the numbers of the two labels and grow until both are :math:`C^*`; here all switches are made
    there, too. Of the pairs that fulfil his condition the one with most slack is switched.

    References
    ----------
    .. [1] T. Joachims, "Transductive inference for text classification using support vector
       machines", ICML 1999.
    .. [2] M. Karasuyama, N. Harada, M. Sugiyama, I. Takeuchi, "Multi-parametric solution-path
       algorithm for instance-weighted support vector machines", Machine Learning 88, 2012,
       section 5.3.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(60, noise=0.1, random_state=0)
    >>> y = np.where(np.arange(60) < 8, truth, -1)
    >>> model = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    >>> bool((model.transduction_ == truth).mean() >= 0.9)
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        C_star: float | None = None,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        positive_fraction: float | None = None,
        schedule: str = "doubling",
        start: float = 1e-5,
        max_switches: int = 100_000,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        keep_paths: bool = False,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.C_star = C_star
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.positive_fraction = positive_fraction
        self.schedule = schedule
        self.start = start
        self.max_switches = max_switches
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.keep_paths = keep_paths
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, X_unlabelled: Any = None) -> Self:
        """Find labels for the rows without one, and the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; for a precomputed kernel its matrix.
        y : array-like of shape (n_samples,)
            Labels of two classes. Without ``X_unlabelled``, -1 marks a row that has none, as in
            :mod:`sklearn.semi_supervised`.
        X_unlabelled : array-like or sparse matrix of shape (n_unlabelled, n_features), optional
            The rows without a label, given apart: then all of ``y`` are labels, also -1. They come
            last in ``transduction_``.

        Returns
        -------
        self : TransductiveSVC
        """
        plan = self._checked()
        data = self._data(X, y, X_unlabelled)
        columns = data.labelled if self._is_precomputed() else slice(None)
        labels = data.classes[(data.sign[data.labelled] > 0).astype(np.intp)]
        initial = self._svc(data).fit(data.X[data.labelled][:, columns], labels)
        sign = first_labels(data, initial, columns, plan.positive_fraction)
        svc = all_rows_model(self._svc(data), data, sign, initial)
        training = svc.training_set_
        options = Options(ridge=training.ridge, max_events=self.max_events)
        model = ProvisionalLabels(svc.subproblems_[0], svc.weights_, options)
        keep = partial(kept_path, svc) if self.keep_paths else None
        values = ValuesOnPaths(training, data.unlabelled, self.cache_size)
        run = TransductionRun(model, data.unlabelled, plan, values, self.verbose, keep)
        try:
            run.follow(self.schedule)
        except StoppedError as error:
            raise ValueError(f"{error} No model was made; raise max_events.") from error
        if run.capped:
            warnings.warn(
                f"max_switches={plan.max_switches} was reached: the labels are not final. Raise "
                "it, or lower C_star.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._publish(data, initial, svc, run)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values, positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all rows of the fit.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.svc_.decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all rows of the fit.

        Returns
        -------
        ndarray of shape (n,)
            Labels of the classes.
        """
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    def plot(self, ax: Axes | None = None) -> TransductionDisplay:
        """Draw the objective while weights grow and labels switch.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.

        Returns
        -------
        TransductionDisplay
            Holds the data, ``ax_`` and ``figure_``.
        """
        from weightpath.applications.transduction_display import TransductionDisplay

        check_is_fitted(self)
        return TransductionDisplay(self.history_).plot(ax)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    # Behind them ---------------------------------------------------------------------------

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _checked(self) -> Plan:
        C = check_number("C", self.C)
        C_star = C if self.C_star is None else check_number("C_star", self.C_star)
        fraction = self.positive_fraction
        if fraction is not None:
            fraction = check_number("positive_fraction", fraction, strict=False)
            if fraction > 1.0:
                raise ValueError(f"positive_fraction must be at most 1, got {fraction!r}.")
        if self.schedule not in SCHEDULES:
            raise ValueError(
                f"schedule must be one of {', '.join(SCHEDULES)}; got {self.schedule!r}."
            )
        start = check_fraction("start", self.start, one=True)
        return Plan(
            C, C_star, start, fraction, check_whole_number("max_switches", self.max_switches, 0)
        )

    def _data(self, X: Any, y: Any, X_unlabelled: Any) -> PartlyLabelled:
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}
        X, y = validate_data(self, X, y, **options)
        if X_unlabelled is not None:
            if self._is_precomputed():
                raise ValueError(
                    "With a precomputed kernel X is the matrix of all rows: mark those without a "
                    "label by y = -1, and give no X_unlabelled."
                )
            X_unlabelled = validate_data(self, X_unlabelled, reset=False, **options)
        return partly_labelled(X, y, X_unlabelled)

    def _svc(self, data: PartlyLabelled) -> SVC:
        kernel = choose_kernel(self, data.X, np.ones(data.X.shape[0]))
        return SVC(
            self.C,
            kernel=self.kernel,
            degree=self.degree,
            gamma=kernel.gamma or "auto",
            coef0=self.coef0,
            tol=self.tol,
            cache_size=self.cache_size,
            ridge=self.ridge,
            max_events=self.max_events,
        )

    def _publish(self, data: PartlyLabelled, initial: SVC, svc: SVC, run: TransductionRun) -> None:
        model = run.model
        labels = (model.sign > 0).astype(np.intp)
        self.__dict__.pop("paths_", None)
        if self.keep_paths:
            self.paths_ = run.paths
        quantities = {**svc.quantities_, "weight": model.weight}
        training = replace(svc.training_set_, labels=labels)
        install(svc, Fitted(training, svc.problem_, quantities, (model.subproblem,)))
        self.svc_, self.initial_svc_ = svc, initial
        self.classes_ = data.classes
        self.transduction_ = data.classes[labels]
        self.history_: list[Step] = run.history
        self.n_switches_ = sum(step.kind == "switch" for step in run.history)
        self.n_iter_ = len(run.history) - 1
