"""Where on a line of targets cross-validation chooses the same alpha.

Along the line the lasso of each fold is piecewise linear and so are its errors on the held-out
rows, whose targets move as well. The mean squared error of each alpha is piecewise quadratic, and
where the chosen one is least is found from the roots of differences: no grid.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from weightpath.estimators import Lasso
from weightpath.inference.lines import StatisticLine
from weightpath.inference.unions import Union, intersection, joined

__all__ = ["ChosenAlpha"]

Reals = NDArray[np.float64]


# Errors that differ by less than this fraction are equal.
_NOISE = 1e-12


class ChosenAlpha:
    """The choice of an alpha by cross-validation, as a part of the selection.

    Parameters
    ----------
    model : Lasso
        The model, with the alpha that was chosen.
    alphas : array-like
        What it was chosen from.
    cv : int, splitter or None
        The folds.
    """

    def __init__(self, model: Lasso, alphas: ArrayLike, cv: Any) -> None:
        given = np.asarray(alphas, dtype=np.float64)
        if given.ndim != 1 or not (np.isfinite(given).all() and (given > 0).all()):
            raise ValueError("alphas must be positive and finite numbers.")
        self.alphas = np.unique(given)
        at = np.flatnonzero(np.isclose(self.alphas, model.alpha_, rtol=1e-12, atol=0.0))
        if not at.size:
            raise ValueError(f"alpha = {model.alpha_:g} of the model is not among alphas.")
        self.own = int(at[0])
        training = model.training_set_
        weight = training.per_row["sample_weight"]
        if (weight != weight[0]).any():
            raise ValueError("A choice among alphas is not defined for sample weights that differ.")
        self.X, self.y = training.X, model.quantities_["target"]
        self.folds = [
            (np.asarray(train), np.asarray(test)) for train, test in check_cv(cv).split(self.X)
        ]
        self.models = [
            [self._fit(model, alpha, rows) for rows in self.folds] for alpha in self.alphas
        ]
        self.n_events = 0
        self._check_choice()

    def _fit(self, model: Lasso, alpha: float, rows: tuple[Any, Any]) -> Lasso:
        fold = clone(model).set_params(alpha=alpha, penalty_weight=model.penalty_weight_)
        fitted: Lasso = fold.fit(self.X[rows[0]], self.y[rows[0]])
        return fitted

    def _check_choice(self) -> None:
        errors = [
            np.mean(
                [
                    np.mean((self.y[test] - model.predict(self.X[test])) ** 2)
                    for model, (_, test) in zip(models, self.folds, strict=True)
                ]
            )
            for models in self.models
        ]
        best = int(np.argmin(errors))
        if errors[best] < errors[self.own]:
            raise ValueError(
                f"Cross-validation on these folds chooses alpha = {self.alphas[best]:g}, but the "
                f"model has alpha = {self.alphas[self.own]:g}. Fit it with the former, or give the "
                "folds of the choice."
            )

    def intervals(self, line: StatisticLine, low: float, high: float) -> Union:
        """Return where the same alpha is chosen, from ``low`` to ``high``."""
        z, errors = self._errors(line, (low, high))
        found = [(float(z[0]), float(z[-1]))]
        for k in range(len(self.alphas)):
            if k != self.own:
                # Errors are equal where both models are empty in all folds: then the larger alpha
                # is chosen.
                noise = _NOISE * errors[self.own].max(axis=1)
                below = noise if k < self.own else -noise
                difference = errors[self.own] - errors[k]
                found = intersection(found, _where_below(z, difference, below))
        return found

    def _errors(self, line: StatisticLine, ends: tuple[float, float]) -> tuple[Reals, Reals]:
        """Return all breakpoints, and the errors of each alpha as (n_alphas, pieces, 3).

        The three are those of ``(1 - s)^2``, ``2 s (1 - s)`` and ``s^2``, with s from 0 to 1 on
        each piece.
        """
        paths = [
            [
                self._residuals(model, rows, line, ends)
                for model, rows in zip(models, self.folds, strict=True)
            ]
            for models in self.models
        ]
        z = np.unique(np.concatenate([own for many in paths for own, _ in many]))
        errors = np.zeros((len(paths), len(z) - 1, 3))
        for total, many in zip(errors, paths, strict=True):
            for own, residual in many:
                value = _interpolated(z, own, residual)
                products = (value[:-1], value[:-1]), (value[:-1], value[1:]), (value[1:], value[1:])
                for at, (one, other) in enumerate(products):
                    total[:, at] += np.einsum("ij,ij->i", one, other) / value.shape[1]
        return z, errors / len(self.folds)

    def _residuals(
        self, model: Lasso, rows: tuple[Any, Any], line: StatisticLine, ends: tuple[float, float]
    ) -> tuple[Reals, Reals]:
        """Return the breakpoints of a fold, and the errors of its held-out rows at them."""
        train, test = rows
        sides = []
        for end in ends:
            path = model.path_to(y=line.targets(end)[train])
            self.n_events += path.n_events
            z = line.statistic + (end - line.statistic) * path.theta
            z[-1] = end
            value = path.decision_function(self.X[test], path.theta)
            moved = line.base[test] + z[:, None] * line.slope[test] - value
            sides.append((z, moved))
        (down, below), (up, above) = sides
        return np.concatenate([down[:0:-1], up]), np.concatenate([below[:0:-1], above])


def _interpolated(z: Reals, own: Reals, values: Reals) -> Reals:
    """Return values between breakpoints, which are on straight lines there."""
    piece = np.clip(np.searchsorted(own, z, side="right") - 1, 0, len(own) - 2)
    width = own[piece + 1] - own[piece]
    share = np.divide(z - own[piece], width, out=np.zeros_like(z), where=width > 0)[:, None]
    return (1.0 - share) * values[piece] + share * values[piece + 1]


def _where_below(z: Reals, difference: Reals, bound: Reals) -> Union:
    """Return where a piecewise quadratic, as coefficients of ``_errors``, is negative.

    Where it is zero but for roundings, the sign of the bound, which is about as large, decides.
    """
    first, middle, last = difference.T
    square, linear = first - 2.0 * middle + last, 2.0 * (middle - first)
    # Roots of square s^2 + linear s + first, by the formula that does not cancel.
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(linear**2 - 4.0 * square * first, 0.0))
        q = -0.5 * (linear + np.copysign(root, linear))
        ends = np.stack([q / square, first / q])
    ends = np.sort(np.where(np.isfinite(ends), ends, 0.0), axis=0)
    ends = np.clip(ends, 0.0, 1.0)
    share = np.stack([np.zeros(len(first)), ends[0], ends[1], np.ones(len(first))])
    width = np.diff(z)
    pieces = []
    for low, high in pairwise(share):
        s = 0.5 * (low + high)
        value = (1.0 - s) ** 2 * first + 2.0 * s * (1.0 - s) * middle + s**2 * last
        own = np.column_stack((z[:-1] + low * width, z[:-1] + high * width))
        own[high == 1.0, 1] = z[1:][high == 1.0]
        pieces.append(own[value <= bound])
    return joined((a, b) for a, b in np.concatenate(pieces).tolist())
