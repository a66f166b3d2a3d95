"""Unequal noise on Boston housing: the paper's section 5.1.2, Figures 13 and 14.

Of the 506 districts 404 are drawn at random, ten times. The scheme of `HeteroscedasticSVR` runs to
the paper's stopping rule; its reweightings (Step 2) are timed. At the weights of every reweighting
the rivals solve, too: scikit-learn from scratch, sequential minimal optimisation from its solution
before. They get the weights of the exact scheme, so that all go the same way. Besides, the mean
squared error on the other 102 districts, with the weights and without. What is charged for kernel
values is said in :mod:`reproduction.contest`.
"""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVR

import weightpath as wp
from benchmarks.rivals.smo import SEEDINGS, SMORegressor
from reproduction import contest
from reproduction.experiment import Options, Plan, run_alone

DATA = "boston"
EPSILON = 0.05
N_TRAIN = 404
CACHE_MB = 200.0
# The paper does not say how many reweightings it allows.
MAX_ITER = 500


@dataclass(frozen=True)
class Split:
    """Rows to train with and rows to test with, scaled to [-1, 1]."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def splits(home, count: int, n_train: int) -> list[Split]:
    boston = wp.datasets.load_boston(home)
    X, y = minmax_scale(boston.data, (-1, 1)), boston.target
    orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(count)]
    pairs = [(order[:n_train], order[n_train:]) for order in orders]
    return [Split(X[train], y[train], X[test], y[test]) for train, test in pairs]


def options_of(split: Split, C0: float, gamma: float) -> dict:
    p = split.X.shape[1]
    return {"C": C0, "gamma": gamma / p, "epsilon": EPSILON, "cache_size": CACHE_MB}


@dataclass
class Scheme:
    """What the exact scheme did: its model and the weights of every round, without C0."""

    model: wp.HeteroscedasticSVR
    weights: list[np.ndarray]
    converged: bool


def exact_scheme(split: Split, C0: float, gamma: float) -> Scheme:
    model = wp.HeteroscedasticSVR(**options_of(split, C0, gamma), max_iter=MAX_ITER)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(split.X, split.y)
    converged = not any(issubclass(one.category, ConvergenceWarning) for one in caught)
    return Scheme(model, [path.at(1.0).weights / C0 for path in model.paths_], converged)


# Contenders ------------------------------------------------------------------------------------


def run_path(split: Split, scheme: Scheme, C0: float, gamma: float, keep: bool) -> float:
    """Time the reweightings; without ``keep``, each by a copy that has no kernel columns."""
    model = wp.SVR(**options_of(split, C0, gamma)).fit(split.X, split.y)
    total = 0.0
    for weight in scheme.weights:
        if not keep:
            model = pickle.loads(pickle.dumps(model))
        begin = process_time()
        model.reweight(weight)
        total += process_time() - begin
    return total


def refits(split: Split, scheme: Scheme, C0: float, gamma: float, max_seconds: float):
    steps = ((split.X, split.y, weight) for weight in scheme.weights)
    return contest.refit_all(lambda: SVR(**options_of(split, C0, gamma)), steps, max_seconds)


def warm_smo(split: Split, scheme: Scheme, C0: float, gamma: float, seeding: str, max_seconds):
    """Follow the weights.

    Returns seconds, those of kernel columns besides, whether it was stopped, and the fitted values
    at the end.
    """
    start = scheme.model.paths_[0].at(0.0).dual_coef
    width = options_of(split, C0, gamma)["gamma"]
    K = rbf_kernel(split.X, gamma=width)
    solver = SMORegressor(K, split.y, np.full(len(split.y), C0), EPSILON)
    result = solver.solve(start, max_seconds=max_seconds)
    total, columns = 0.0, 0.0
    for weight in scheme.weights:
        columns += contest.column_seconds(split.X, solver.beta, width)
        begin = process_time()
        solver.reweight(C0 * weight, seeding)
        result = solver.solve(max_seconds=max(max_seconds - total, 0.0))
        total += process_time() - begin
        if result.capped:
            return total, columns, True, None
    return total, columns, False, split.y - solver.residual + result.bias


# One cell --------------------------------------------------------------------------------------


def largest_distance(split: Split, scheme: Scheme, C0: float, gamma: float):
    """Compare every round with a fit from scratch; return the largest difference, last values."""
    worst, fresh = 0.0, np.empty(0)
    for path, weight in zip(scheme.model.paths_, scheme.weights, strict=True):
        model = wp.SVR(**options_of(split, C0, gamma)).fit(split.X, split.y, sample_weight=weight)
        fresh = model.predict(split.X)
        ours = path.decision_function(split.X, 1.0)
        worst = max(worst, float(np.abs(ours - fresh).max()))
    return worst, fresh


class Cell:
    """Everything measured for one C0 and gamma."""

    def __init__(self, data: list[Split], C0: float, gamma: float, cap: float):
        self.data, self.C0, self.gamma, self.cap = data, C0, gamma, cap
        self.path, self.kept, self.svr = (contest.Timing() for _ in range(3))
        self.smo = {seeding: contest.Timing() for seeding in SEEDINGS}
        self.values: dict = {}
        self.schemes = [self.measure(number, split) for number, split in enumerate(data, 1)]

    def measure(self, number: int, split: Split) -> Scheme:
        """Run all contenders on one split, in turns; rivals only while they have time."""
        setting = (split, scheme := exact_scheme(split, self.C0, self.gamma), self.C0, self.gamma)
        self.kept.seconds.append(run_path(*setting, keep=True))
        self.path.seconds.append(run_path(*setting, keep=False))

        def refit_once(max_seconds):
            seconds, stopped, model = refits(*setting, max_seconds)
            if number == 1 and not stopped:
                self.values["svr"] = model.predict(split.X)
            return seconds, 0.0, stopped

        self.give_turn(refit_once, self.svr, number)
        for seeding, timing in self.smo.items():

            def smo_once(max_seconds, seeding=seeding):
                *outcome, values = warm_smo(*setting, seeding, max_seconds)
                if number == 1:
                    self.values[seeding] = values
                return tuple(outcome)

            self.give_turn(smo_once, timing, number)
        return scheme

    def give_turn(self, once, timing: contest.Timing, number: int) -> None:
        """Let a rival run a split if it has run all before it."""
        if len(timing.seconds) == number - 1:
            contest.measure_rival(once, timing, number, self.cap)

    def result(self) -> dict:
        off, fresh = largest_distance(self.data[0], self.schemes[0], self.C0, self.gamma)

        def off_by(name):
            values = self.values.get(name)
            return None if values is None else float(np.abs(values - fresh).max())

        return {
            "reweightings": [len(scheme.weights) for scheme in self.schemes],
            "converged": [scheme.converged for scheme in self.schemes],
            "events": [sum(p.n_events for p in s.model.paths_) for s in self.schemes],
            "path": vars(self.path),
            "kept": vars(self.kept),
            "scikit-learn": vars(self.svr),
            "SMO": {seeding: vars(timing) for seeding, timing in self.smo.items()},
            "off": {
                "path": off,
                "scikit-learn": off_by("svr"),
                "SMO": {seeding: off_by(seeding) for seeding in self.smo},
            },
            "errors": self.errors(),
        }

    def errors(self) -> dict:
        """Return the mean squared errors at both ends of the scheme, for every split."""
        equal, ours = [], []
        for split, scheme in zip(self.data, self.schemes, strict=True):
            first = scheme.model.paths_[0].decision_function(split.X_test, 0.0)
            equal.append(float(np.mean((split.y_test - first) ** 2)))
            ours.append(float(np.mean((split.y_test - scheme.model.predict(split.X_test)) ** 2)))
        return {"equal weights": equal, "reweighted": ours}


# The experiment --------------------------------------------------------------------------------


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=2)
    settings["n"] = 100 if options.quick else N_TRAIN
    return Plan(settings, contest.grid(options.quick))


def prepare(settings: dict, data, folder) -> tuple[list[Split], float]:
    small = splits(data, 1, 30)[0]
    for seeding in SEEDINGS:  # compile
        warm_smo(small, exact_scheme(small, 1.0, 1.0), 1.0, 1.0, seeding, 10.0)
    return splits(data, settings["repetitions"], settings["n"]), settings["cap"]


def measure(context: tuple[list[Split], float], cell: dict) -> dict:
    data, cap = context
    return Cell(data, cell["C0"], cell["gamma"], cap).result()


if __name__ == "__main__":
    run_alone("heteroscedastic")
