"""The rows or groups whose values are asked for, the game that they play, and its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from weightpath.curves.queries import distinct_rows
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
    subset_chains,
    worths_on_chain,
)
from weightpath.selection.value_models import SubsetModels
from weightpath.selection.value_table import DataValues

__all__ = ["Players", "play"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Players:
    """The model of all rows, and which rows each player brings.

    Attributes
    ----------
    model : SVC, SVR or QuantileSVR
        The model, fitted to all rows.
    preparation : object or None
        What prepares raw rows for it, of a pipeline.
    settings : Settings
        How its paths are followed.
    labels : ndarray of shape (n,)
        The number of each row, or the name of each group.
    sets : list of ndarray of int
        The rows of each player.
    names : ndarray or None
        The names of single rows, where these came with names.
    """

    model: Any
    preparation: Any
    settings: Settings
    labels: NDArray[Any]
    sets: list[NDArray[np.intp]]
    names: NDArray[Any] | None

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any, n_jobs: int | None
    ) -> Players:
        """Return the players of data that a user gives, with a model that is fitted to them."""
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
            labels, sets = np.arange(n), list(np.arange(n)[:, None])
            names = names_of_training(model.training_set_)
        else:
            labels, sets = sets_of_groups(groups, n)
        return cls(model, preparation, Settings.of(model, n_jobs), labels, sets, names)

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
        worths = play(worths_on_chain, game, chains, "Subsets", n_jobs, verbose)
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
            self.labels,
            kind,
            game.score.metric.name,
            game.empty_worth(),
            full,
            n_samples,
            n_steps,
            self.names,
        )


def play(
    function: Any, game: Game, tasks: Sequence[Any], what: str, n_jobs: int | None, verbose: int
) -> list[Any]:
    """Return what a function of a game gives for each task, on threads or a cluster."""
    return run_tasks(
        function,
        game,
        tasks,
        description=what,
        n_jobs=n_jobs,
        verbose=verbose,
        prefer="threads",
    )
