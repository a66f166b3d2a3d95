"""What each training row, or group of rows, is worth: Shapley and Banzhaf values, exact models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from weightpath.curves.queries import distinct_rows
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.model_outputs import outputs_of_model
from weightpath.estimators.pipelines import last_and_preparation, last_step
from weightpath.estimators.quantile_svr import QuantileSVR
from weightpath.estimators.row_names import names_of_training
from weightpath.estimators.svc import SVC
from weightpath.estimators.svr import SVR
from weightpath.metrics import Metric
from weightpath.metrics.evaluator import Evaluator
from weightpath.selection.dispatch import run_tasks
from weightpath.selection.kernel_branches import Settings, where_is
from weightpath.selection.raw_rows import check_raw_rows
from weightpath.selection.removals import sets_of_groups
from weightpath.selection.value_games import (
    MOST_ENUMERATED,
    Game,
    banzhaf_of_all,
    gains_around,
    gains_on_walk,
    shapley_of_all,
    subset_chains,
    worths_on_chain,
)
from weightpath.selection.value_models import SubsetModels
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.plotting.values_display import ValuesDisplay

__all__ = ["DataValues", "data_banzhaf", "data_shapley"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DataValues:
    """What the rows of a training set, or groups of them, are worth.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The value of each row or group: positive where it helps, whether the metric is a score or a
        loss.
    standard_errors : ndarray of shape (n,)
        Of the values; zero where all subsets were looked at, nan of a single sample.
    players : ndarray of shape (n,)
        The number of each row, or the name of each group.
    kind : str
        "Shapley" or "Banzhaf".
    metric : str
        The name of the metric.
    empty_worth, full_worth : float
        What no rows and all rows are worth: the metric, negated if it is a loss. Shapley values add
        up to the difference (to rounding, and unless walks were truncated).
    n_samples : int
        How many permutations, or subsets, the values are means over.
    n_steps : int
        How many exact paths were followed.
    """

    values: Reals
    standard_errors: Reals
    players: NDArray[Any]
    kind: str
    metric: str
    empty_worth: float
    full_worth: float
    n_samples: int
    n_steps: int
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return (
            f"<DataValues: {self.kind} values of {len(self)} by {self.metric}, "
            f"{np.min(self.values):.3g} to {np.max(self.values):.3g}, "
            f"largest standard error {np.max(self.standard_errors):.2g}>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            f"{self.kind} values",
            [
                ("metric", self.metric),
                ("values", len(self)),
                ("smallest", float(np.min(self.values))),
                ("largest", float(np.max(self.values))),
                ("largest standard error", float(np.max(self.standard_errors))),
                ("worth of no rows", float(self.empty_worth)),
                ("worth of all rows", float(self.full_worth)),
                ("samples", self.n_samples),
                ("paths", self.n_steps),
            ],
        )

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions in ``values`` from the most helpful to the most harmful."""
        return np.argsort(-self.values, kind="stable")

    def to_frame(self) -> DataFrame:
        """Values as a :class:`pandas.DataFrame`, the most helpful first.

        Returns
        -------
        DataFrame
            Columns ``player``, ``value`` and ``standard_error``. Where the values are of rows and
            these came in a frame, or with a series of labels, this has the index of that.
        """
        pd = pandas_for("DataValues.to_frame")
        order = self.order
        table = {
            "player": self.players[order],
            "value": self.values[order],
            "standard_error": self.standard_errors[order],
        }
        if self._names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self._names[order], name="instance"))

    def plot(self, ax: Any = None, **kwargs: Any) -> ValuesDisplay:
        """Draw the values in order, with two standard errors on each side.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        **kwargs
            Passed to ``ValuesDisplay.plot``.

        Returns
        -------
        ValuesDisplay
            With ``ax_`` and ``figure_``.
        """
        from weightpath.plotting.values_display import ValuesDisplay

        display = ValuesDisplay(self.values, self.standard_errors, self.kind, self.metric)
        return display.plot(ax, **kwargs)


def data_shapley(
    estimator: PathEstimator | Pipeline,
    X: Any,
    y: ArrayLike,
    X_val: Any,
    y_val: ArrayLike,
    metric: str | Metric | None = None,
    n_permutations: int | str = 100,
    random_state: Any = None,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    validation_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
    truncation: float | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> DataValues:
    r"""Shapley values of training rows: what each adds to a validation metric, on average.

    .. math::

        \phi_i = \frac1{n!} \sum_\pi U(P_i^\pi \cup \{i\}) - U(P_i^\pi)

    where :math:`P_i^\pi` are the rows before i in the permutation :math:`\pi`, and U(S) is the
    metric, at the validation rows, of the model that is trained on S. The mean is over random
    permutations. Along each, rows come one by one, and every one of the models is exact: its
    weights go from zero to what they are on a path.

    Parameters
    ----------
    estimator : SVC, SVR, QuantileSVR or Pipeline
        The estimator, or a scikit-learn pipeline whose last step is one; it is copied and need not
        be fitted.
    X, y : array-like
        The training rows with their labels or targets. For a precomputed kernel X is the kernel
        matrix, and ``X_val`` has the values between validation and training rows.
    X_val, y_val : array-like
        The validation rows.
    metric : str, Metric or None, default=None
        The metric; "accuracy" of classifiers and "squared" of regressions if not given. A loss
        counts negatively, so that a value is positive where the row helps.
    n_permutations : int or "all", default=100
        How many random permutations. "all" gives the mean over all n! of them, from the worth of
        all 2^n subsets, for at most sixteen rows or groups.
    random_state : int, RandomState or None, default=None
        Of the permutations.
    groups : array-like of shape (n,) or None, default=None
        The group of each row; then values are those of whole groups, which come together.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights with which rows come. A row of weight zero has the value zero.
    validation_weight : array-like of shape (n_val,) or None, default=None
        Weights of the validation rows in the metric.
    metric_params : dict or None, default=None
        Options of the metric.
    truncation : float or None, default=None
        A walk ends where the worth is as close as this to that of all rows, and the rows after
        that count as adding nothing: faster, and biased. Not by default.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them; another backend of joblib, such as Dask, may be
        chosen by :class:`joblib.parallel_config`. The result does not depend on it.
    verbose : int, default=0
        From 1 on a progress bar is shown.

    Returns
    -------
    DataValues
        ``values`` with ``standard_errors``.

    See Also
    --------
    data_banzhaf : All subsets count alike.
    influence : The change when a row is removed from the full training set.

    Notes
    -----
    A set of one class predicts this class (decision value 1 or -1), the empty set the first class;
    with several classes, a subset votes among the classes that it has. A regression without rows
    predicts zero. What a fit derives from all its rows is derived once, from all of X: ``gamma``
    if it is "scale", ``class_weight`` if it is "balanced", and the transformers of a pipeline.

    References
    ----------
    A. Ghorbani and J. Zou, Data Shapley: equitable valuation of data for machine learning,
    ICML 2019.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(40, random_state=0)
    >>> new = wp.datasets.make_toy(100, random_state=1, like=toy)
    >>> values = wp.data_shapley(
    ...     wp.SVC(C=10, gamma=0.5),
    ...     toy.X,
    ...     toy.y,
    ...     new.X,
    ...     new.y,
    ...     "accuracy",
    ...     n_permutations=20,
    ...     random_state=0,
    ... )
    >>> gain = values.full_worth - values.empty_worth
    >>> bool(abs(values.values.sum() - gain) < 1e-12)
    True
    """
    if truncation is not None:
        truncation = check_number("truncation", truncation, strict=False)
    given = _Given.of(estimator, X, y, sample_weight, groups, n_jobs)
    game = given.game(X_val, y_val, metric, validation_weight, metric_params, truncation)
    if _is_all(n_permutations, "n_permutations"):
        return given.enumerated(game, "Shapley", shapley_of_all, n_jobs, verbose)
    full = game.full_worth()
    seeds = _seeds(n_permutations, random_state)
    tasks = [(seed, None if truncation is None else full) for seed in seeds]
    found = _run(gains_on_walk, game, tasks, "Permutations", n_jobs, verbose)
    return given.sampled(game, "Shapley", found, full)


def data_banzhaf(
    estimator: PathEstimator | Pipeline,
    X: Any,
    y: ArrayLike,
    X_val: Any,
    y_val: ArrayLike,
    metric: str | Metric | None = None,
    n_permutations: int | str = 100,
    random_state: Any = None,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    validation_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> DataValues:
    r"""Banzhaf values of training rows: what each adds to a random subset of the others.

    .. math::

        \phi_i = \frac1{2^{n-1}} \sum_{S \not\ni i} U(S \cup \{i\}) - U(S)

    The mean is over random subsets T, in which every row is with probability one half. For each of
    them the difference between T with i and T without i is computed for *every* row i, exactly: all
    models that differ from the model of T by one row are branches of it, as in
    :func:`~weightpath.follow_many`. The values are means of independent samples of the marginal
    contributions, with their standard errors; they do not reuse one subset's worth for the mean
    with and the mean without a row, as the "maximum sample reuse" estimator does.

    Parameters
    ----------
    estimator, X, y, X_val, y_val, metric
        As in :func:`~weightpath.data_shapley`.
    n_permutations : int or "all", default=100
        How many random subsets; the name is that of :func:`~weightpath.data_shapley`, and so is the
        cost, one short path a row. "all" is the mean over all subsets, for at most sixteen rows or
        groups.
    random_state : int, RandomState or None, default=None
        Of the subsets.
    groups, sample_weight, validation_weight, metric_params, n_jobs, verbose
        As in :func:`~weightpath.data_shapley`.

    Returns
    -------
    DataValues
        ``values`` with ``standard_errors``.

    See Also
    --------
    data_shapley : All sizes of subsets count alike.

    References
    ----------
    J. T. Wang and R. Jia, Data Banzhaf: a robust data valuation framework for machine learning,
    AISTATS 2023.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(40, random_state=0)
    >>> new = wp.datasets.make_toy(100, random_state=1, like=toy)
    >>> values = wp.data_banzhaf(
    ...     wp.SVC(C=10, gamma=0.5),
    ...     toy.X,
    ...     toy.y,
    ...     new.X,
    ...     new.y,
    ...     "accuracy",
    ...     n_permutations=20,
    ...     random_state=0,
    ... )
    >>> len(values), values.kind
    (40, 'Banzhaf')
    """
    given = _Given.of(estimator, X, y, sample_weight, groups, n_jobs)
    game = given.game(X_val, y_val, metric, validation_weight, metric_params, None)
    if _is_all(n_permutations, "n_permutations"):
        return given.enumerated(game, "Banzhaf", banzhaf_of_all, n_jobs, verbose)
    seeds = _seeds(n_permutations, random_state)
    found = _run(gains_around, game, seeds, "Subsets", n_jobs, verbose)
    return given.sampled(game, "Banzhaf", found, game.full_worth())


@dataclass(frozen=True, eq=False)
class _Given:
    """The model of all rows, and the players."""

    model: Any
    preparation: Any
    settings: Settings
    players: NDArray[Any]
    sets: list[NDArray[np.intp]]
    names: NDArray[Any] | None

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any, n_jobs: int | None
    ) -> _Given:
        last = last_step(estimator)
        if not isinstance(last, SVC | SVR | QuantileSVR):
            raise TypeError(
                "Data values need an SVC, SVR or QuantileSVR of weightpath, or a scikit-learn "
                f"Pipeline whose last step is one; got {type(last).__name__}."
            )
        fitted = clone(estimator)
        if isinstance(fitted, Pipeline):
            weights = {f"{fitted.steps[-1][0]}__sample_weight": sample_weight}
        else:
            weights = {"sample_weight": sample_weight}
        fitted.fit(X, y, **({} if sample_weight is None else weights))
        model, preparation = last_and_preparation(fitted)
        n = len(model.training_set_)
        names = None
        if groups is None:
            players, sets = np.arange(n), list(np.arange(n)[:, None])
            names = names_of_training(model.training_set_)
        else:
            players, sets = sets_of_groups(groups, n)
        return cls(model, preparation, Settings.of(model, n_jobs), players, sets, names)

    def game(
        self,
        X_val: Any,
        y_val: Any,
        metric: str | Metric | None,
        validation_weight: Any,
        metric_params: Mapping[str, Any] | None,
        truncation: float | None,
    ) -> Game:
        """Return the game of the players, checked."""
        has_classes = is_classifier(self.model)
        if metric is None:
            metric = "accuracy" if has_classes else "squared"
        rows = check_raw_rows(self.model, self.preparation, X_val)
        score = Evaluator(
            metric,
            outputs_of_model(self.model),
            rows.shape[0],
            y_val,
            validation_weight,
            metric_params or {},
        )
        # Equal rows have equal decision values, whatever the rounding.
        first, point = distinct_rows(rows, np.zeros(rows.shape[0], dtype=np.intp))
        where = where_is(self.model)
        models = SubsetModels(where, rows[first], self.settings, self.sets, has_classes)
        return Game(models, score, point, truncation)

    def sampled(self, game: Game, kind: str, found: Sequence[Any], full: float) -> DataValues:
        """Return the means over samples."""
        gains = np.array([one for one, _ in found])
        count = len(gains)
        errors = np.full(gains.shape[1], np.nan)
        if count > 1:
            errors = gains.std(axis=0, ddof=1) / np.sqrt(count)
        n_steps = sum(steps for _, steps in found)
        return self._values(game, kind, gains.mean(axis=0), errors, full, count, n_steps)

    def enumerated(
        self,
        game: Game,
        kind: str,
        values_of: Callable[[Game, Any, Any], Reals],
        n_jobs: int | None,
        verbose: int,
    ) -> DataValues:
        """Return the values from the worths of all subsets."""
        n = game.n_players
        if n > MOST_ENUMERATED:
            raise ValueError(
                f"All subsets of {n} rows or groups are too many: at most {MOST_ENUMERATED} are "
                "looked at. Give a number of permutations."
            )
        chains = subset_chains(n)
        worths = _run(worths_on_chain, game, chains, "Subsets", n_jobs, verbose)
        values = values_of(game, chains, worths)
        n_steps = sum(len(chain) for chain in chains)
        full = float(worths[-1][-1])
        return self._values(game, kind, values, np.zeros(n), full, 2**n, n_steps)

    def _values(
        self,
        game: Game,
        kind: str,
        values: Reals,
        errors: Reals,
        full: float,
        n_samples: int,
        n_steps: int,
    ) -> DataValues:
        values.setflags(write=False)
        errors.setflags(write=False)
        return DataValues(
            values,
            errors,
            self.players,
            kind,
            game.score.metric.name,
            game.empty_worth(),
            full,
            n_samples,
            n_steps,
            self.names,
        )


def _is_all(given: Any, name: str) -> bool:
    if isinstance(given, str):
        if given != "all":
            raise ValueError(f'{name} must be a positive whole number or "all", got {given!r}.')
        return True
    return False


def _seeds(count: Any, random_state: Any) -> list[int]:
    """Return the seed of each sample."""
    count = check_whole_number("n_permutations", count, 1)
    random = check_random_state(random_state)
    seeds: list[int] = random.randint(0, 2**31 - 1, size=count).tolist()
    return seeds


def _run(
    function: Any, game: Game, tasks: Sequence[Any], what: str, n_jobs: int | None, verbose: int
) -> list[Any]:
    return run_tasks(
        function,
        game,
        tasks,
        description=what,
        n_jobs=n_jobs,
        verbose=verbose,
        prefer="threads",
    )
