"""Selective inference for the lasso: p-values and intervals given what was selected."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators import Lasso
from weightpath.estimators.checks import check_fraction
from weightpath.inference.cross_validation import ChosenAlpha
from weightpath.inference.followed_values import answers_of, first_reach
from weightpath.inference.lines import lines_of
from weightpath.inference.selected_set import SelectionPaths
from weightpath.inference.selective_table import SelectiveInference

__all__ = ["selective"]

Reals = NDArray[np.float64]

CONDITIONS = ("set", "signs")


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
    walks = paths.walks(lines, [first_reach(line) for line in lines])
    found = [answers_of(walk, chosen, level) for walk in walks]
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
