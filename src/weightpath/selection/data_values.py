"""Shapley and Banzhaf values of training rows and groups of rows, from exact models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.metrics import Metric
from weightpath.selection.value_games import (
    banzhaf_of_all,
    gains_around,
    gains_on_walk,
    shapley_of_all,
)
from weightpath.selection.value_players import Players, play
from weightpath.selection.value_table import DataValues

__all__ = ["data_banzhaf", "data_shapley"]


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
        The metric; "accuracy" of classifiers and "squared" of regressions if not players. A loss
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
    players = Players.of(estimator, X, y, sample_weight, groups, n_jobs)
    game = players.game(X_val, y_val, metric, validation_weight, metric_params, truncation)
    if _is_all(n_permutations, "n_permutations"):
        return players.enumerated(game, "Shapley", shapley_of_all, n_jobs, verbose)
    full = game.full_worth()
    seeds = _seeds(n_permutations, random_state)
    tasks = [(seed, None if truncation is None else full) for seed in seeds]
    found = play(gains_on_walk, game, tasks, "Permutations", n_jobs, verbose)
    return players.sampled(game, "Shapley", found, full)


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
    players = Players.of(estimator, X, y, sample_weight, groups, n_jobs)
    game = players.game(X_val, y_val, metric, validation_weight, metric_params, None)
    if _is_all(n_permutations, "n_permutations"):
        return players.enumerated(game, "Banzhaf", banzhaf_of_all, n_jobs, verbose)
    seeds = _seeds(n_permutations, random_state)
    found = play(gains_around, game, seeds, "Subsets", n_jobs, verbose)
    return players.sampled(game, "Banzhaf", found, game.full_worth())


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
