"""Selective inference for the lasso: p-values and intervals given what was selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators import Lasso
from weightpath.estimators.checks import check_fraction
from weightpath.inference._truncated_normal import TruncatedNormal, log_mass
from weightpath.inference.cross_validation import ChosenAlpha
from weightpath.inference.lines import StatisticLine, lines_of
from weightpath.inference.selected_set import LineWalk, SelectionPaths
from weightpath.inference.unions import intersection
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["SelectiveInference", "selective"]

Reals = NDArray[np.float64]

# How far beyond zero and the statistic a line is followed at first, in standard deviations; by
# which factor that grows where more is needed; and where an end of an interval counts as infinite.
_FIRST_REACH = 20.0
_GROWTH = 4.0
_FARTHEST = 1e6

# What is not followed may hold this fraction of the mass at most, as a logarithm.
_NEGLIGIBLE = -40.0

CONDITIONS = ("set", "signs")


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveInference:
    """Tests and intervals of the selected features, given that they were selected.

    Attributes
    ----------
    features : ndarray of int of shape (k,)
        The selected features.
    coef : ndarray of shape (k,)
        Their coefficients in the lasso.
    estimates : ndarray of shape (k,)
        Their coefficients in the least-squares fit with the selected features: what is tested.
    standard_errors : ndarray of shape (k,)
        Standard deviations of the estimates, before selection.
    p_values : ndarray of shape (k,)
        Two-sided, of the hypothesis that the coefficient is zero.
    intervals : ndarray of shape (k, 2)
        Confidence intervals at ``level``; an end may be infinite.
    level : float
        Their level.
    truncation : tuple of ndarray of shape (m, 2)
        For each feature the values of its estimate at which the same would have been selected, as
        a union of intervals, as far as it was followed.
    condition : str
        What is conditioned on, in words.
    n_events : int
        The events on all paths.
    """

    features: NDArray[np.intp]
    coef: Reals
    estimates: Reals
    standard_errors: Reals
    p_values: Reals
    intervals: Reals
    level: float
    truncation: tuple[Reals, ...]
    condition: str
    n_events: int
    _names: NDArray[Any] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        text = f"<SelectiveInference: {len(self)} features, given {self.condition}"
        if len(self):
            text += f"; p-values {self.p_values.min():.3g} to {self.p_values.max():.3g}"
        return text + ">"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("given", self.condition)]
        for k, feature in enumerate(self.features):
            name = feature if self._names is None else self._names[k]
            low, high = self.intervals[k]
            rows.append(
                (
                    str(name),
                    f"{self.estimates[k]:.4g}, p = {self.p_values[k]:.3g}, "
                    f"{100 * self.level:g} %: {low:.4g} to {high:.4g}",
                )
            )
        return html_table("Selective inference", rows)

    def to_frame(self) -> DataFrame:
        """One row a feature, as a :class:`pandas.DataFrame`.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``coef``, ``estimate``, ``standard_error``, ``p_value``, ``lower``
            and ``upper``; the index has the names of the features, if there are any.
        """
        pd = pandas_for("SelectiveInference.to_frame")
        table = {
            "feature": self.features,
            "coef": self.coef,
            "estimate": self.estimates,
            "standard_error": self.standard_errors,
            "p_value": self.p_values,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
        }
        if self._names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self._names, name="name"))


def selective(
    lasso: Lasso,
    sigma: float | ArrayLike,
    *,
    condition: str = "set",
    level: float = 0.95,
    alphas: ArrayLike | None = None,
    cv: Any = None,
) -> SelectiveInference:
    r"""p-values and confidence intervals of the features that a lasso has selected.

    For targets :math:`y \sim N(\mu, \sigma^2 I)` and the selected features A, what is tested for
    each of them is its coefficient in the least-squares fit of :math:`\mu` with the features in A.
    Its estimate is, given that A was selected and all that is independent of the estimate, normal
    but cut down to the values at which the lasso selects A. These are found by following the exact
    path of the lasso along the line of targets on which the estimate moves and nothing else.

    Parameters
    ----------
    lasso : Lasso
        A fitted model, with ``alpha > 0``; it is left as it is.
    sigma : float or array-like of shape (n_samples,)
        The standard deviation of the targets, known: of all, or of each. (Not the variance.)
    condition : {"set", "signs"}, default="set"
        What is conditioned on: the selected features alone, or their signs as well. The second
        gives larger p-values and wider intervals.
    level : float, default=0.95
        The level of the confidence intervals.
    alphas : array-like or None, default=None
        If ``alpha`` was chosen by cross-validation: the values that it was chosen from. This choice
        is then a part of the selection.
    cv : int, splitter or None, default=None
        The folds of that choice, as in scikit-learn; five without shuffling if not given. The
        ``alpha`` with the least mean over folds of the mean squared error is chosen, of equal ones
        the largest, as :class:`sklearn.linear_model.LassoCV` does.

    Returns
    -------
    SelectiveInference
        A table with ``p_values`` and ``intervals``.

    Notes
    -----
    The guarantee holds for ``sigma`` and ``alpha`` that do not depend on the targets (but for
    the choice by ``alphas`` and ``cv``). It is about each selected feature by itself.

    References
    ----------
    V. N. Le Duy and I. Takeuchi, More powerful conditional selective inference for generalized
    lasso by parametric programming, JMLR 23, 2022. J. D. Lee, D. L. Sun, Y. Sun and J. E. Taylor,
    Exact post-selection inference, with application to the lasso, Annals of Statistics 44, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath import inference
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> lasso = wp.Lasso(alpha=0.1).fit(X, y)
    >>> table = inference.selective(lasso, sigma=1.0)
    >>> table.features
    array([0, 3, 5])
    >>> table.p_values.round(3)
    array([0.   , 0.041, 0.142])
    """
    _check(lasso, condition)
    level = check_fraction("level", level)
    paths = SelectionPaths(lasso, condition == "signs")
    training, y = lasso.training_set_, lasso.quantities_["target"]
    deviation = _deviations(sigma, len(training))
    weight, centred = training.per_row["sample_weight"], paths.problem.centred
    selected = paths.selected
    lines = lines_of(training.X, y, weight, centred, selected, deviation)
    chosen = None if alphas is None else ChosenAlpha(lasso, alphas, cv)
    if alphas is None and cv is not None:
        raise TypeError("cv is for a choice among alphas: give these, too.")
    walks = paths.walks(lines, [_distance(line, _FIRST_REACH) for line in lines])
    found = [_infer(walk, chosen, level) for walk in walks]
    names = getattr(lasso, "feature_names_in_", None)
    words = "the set" if condition == "set" else "the set and its signs"
    return SelectiveInference(
        selected,
        lasso.coef_[selected],
        np.array([line.statistic for line in lines]),
        np.array([line.scale for line in lines]),
        np.array([one[0] for one in found]),
        np.array([one[1] for one in found]).reshape(-1, 2),
        level,
        tuple(one[2] for one in found),
        words if chosen is None else f"{words} and the choice of alpha",
        paths.n_events + (0 if chosen is None else chosen.n_events),
        None if names is None else np.asarray(names)[selected],
    )


def _check(lasso: Any, condition: str) -> None:
    if not isinstance(lasso, Lasso):
        raise TypeError(f"Selective inference needs a weightpath.Lasso, got {lasso!r}.")
    check_is_fitted(lasso)
    if not lasso.alpha_ > 0:
        raise ValueError("With alpha = 0 nothing is selected: selective inference needs alpha > 0.")
    if condition not in CONDITIONS:
        raise ValueError(f"condition must be one of {', '.join(CONDITIONS)}, got {condition!r}.")


def _deviations(sigma: Any, n: int) -> Reals:
    """Return the standard deviation of each target."""
    given = np.asarray(sigma, dtype=np.float64)
    if given.shape not in ((), (n,)):
        raise ValueError(f"sigma must be a number or have shape ({n},), got shape {given.shape}.")
    if not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError("sigma, the deviation of the targets, must be positive and finite.")
    return np.broadcast_to(given, (n,))


def _infer(
    walk: LineWalk, chosen: ChosenAlpha | None, level: float
) -> tuple[float, tuple[float, float], Reals]:
    """Return the p-value, the confidence interval and the truncation of one statistic."""
    region = _Region(walk, chosen)
    tail = 0.5 * (1.0 - level)
    p_value = region.settled(lambda normal: (0.0, normal.two_sided()))
    lower = region.settled(lambda normal: 2 * (normal.mean_at(1.0 - tail),))
    upper = region.settled(lambda normal: 2 * (normal.mean_at(tail),))
    return p_value, (lower, upper), region.normal.intervals


def _distance(line: StatisticLine, far: float) -> float:
    """Return how far from zero a line is followed, of so many standard deviations."""
    return abs(line.statistic) + far * line.scale


class _Region:
    """The values of a statistic with the same selection, followed as far as answers need it."""

    def __init__(self, walk: LineWalk, chosen: ChosenAlpha | None) -> None:
        self.line, self.walk, self.chosen = walk.line, walk, chosen
        self._far = dict.fromkeys((-1, 1), _FIRST_REACH)
        self._read()

    def _read(self) -> None:
        intervals = self.walk.intervals
        if self.chosen is not None:
            low, high = (side * _distance(self.line, self._far[side]) for side in (-1, 1))
            intervals = intersection(intervals, self.chosen.intervals(self.line, low, high))
        self.normal = TruncatedNormal(np.array(intervals), self.line.statistic, self.line.scale)

    def settled(self, answer: Callable[[TruncatedNormal], tuple[float, float]]) -> float:
        """Return an answer that what was not followed cannot change.

        Parameters
        ----------
        answer : callable
            Gives the mean of the normal distribution at which it was computed, and the answer.
        """
        while True:
            mean, found = answer(self.normal)
            lacking = self._lacking_sides(mean)
            if not lacking:
                return found
            if max(self._far[side] for side in lacking) >= _FARTHEST:
                # So far away that it makes no difference: the larger interval is the safe one.
                return lacking[0] * np.inf
            for side in lacking:
                self._far[side] *= _GROWTH
                far = side * _distance(self.line, self._far[side])
                if side * self.walk.edges[side] < abs(far):
                    self.walk.paths.go_on([(self.walk, side, far)])
            self._read()

    def _lacking_sides(self, mean: float) -> list[int]:
        """Return the sides on which what was not followed may hold a mass that matters."""
        if not np.isfinite(mean):
            side = int(np.sign(mean))
            return [side] if np.isfinite(self._edge(side)) else []
        total = self.normal.log_total(mean)
        return [
            side
            for side in (-1, 1)
            if log_mass(side * (self._edge(side) - mean) / self.line.scale, np.inf) - total
            > _NEGLIGIBLE
        ]

    def _edge(self, side: int) -> float:
        if self.chosen is None:
            return self.walk.edges[side]
        return side * _distance(self.line, self._far[side])
