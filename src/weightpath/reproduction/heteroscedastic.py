"""Unequal noise on Boston housing: the paper's section 5.1.2, Figures 13 and 14.

Of the 506 districts 404 are drawn at random, ten times. The scheme of `HeteroscedasticSVR` runs to
the paper's stopping rule; its reweightings (Step 2) are timed. At the weights of every reweighting
the rivals solve, too: scikit-learn from scratch, sequential minimal optimisation from its solution
before. They get the weights of the exact scheme, so that all go the same way. Besides, the mean
squared error on the other 102 districts, with the weights and without. What is charged for kernel
values is said in :mod:`weightpath.reproduction.contest`.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVR

import weightpath as wp
from weightpath.benchmarks.rivals.smo import SEEDINGS, SMORegressor
from weightpath.reproduction import contest, results

EPSILON = 0.05
N_TRAIN = 404
CACHE_MB = 200.0
# The paper does not say how many reweightings it allows.
MAX_ITER = 500

COST_NOTE = """\
Seconds of the processor for all reweightings of a scheme together, one thread, mean over the
repetitions; {repetitions} random samples of {n} districts, each run once by the path; the rivals
run the first ones, as many as fit into {repeat:.0f} s a cell (at least one; see the table),
"> s" means stopped after s seconds without an end. The ratios are over the repetitions that both
ran. *reweightings*: mean number until the mean relative change is at most 1e-3 ({most} at most).
*off*: largest difference of fitted values from those of a fit from scratch at the same weights,
over every reweighting of the first repetition for the path, at the last one for the rivals. SMO
is the faster of its two seedings. Kernel values are forgotten before every reweighting as in the
paper (SMO: those of the support vectors are computed); *kept*: they are not, and SMO has the whole
matrix for nothing."""
ERROR_NOTE = """\
Mean squared error on the {n_test} districts left out, mean and standard error over the repetitions:
at equal weights (Step 1) and at the end of the scheme. *better in*: repetitions in which the
weights lower it."""


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

    def __init__(self, data: list[Split], C0: float, gamma: float):
        print(f"gamma = {gamma:g}, C0 = {C0:g}", file=sys.stderr, flush=True)
        self.data, self.C0, self.gamma = data, C0, gamma
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

    @staticmethod
    def give_turn(once, timing: contest.Timing, number: int) -> None:
        """Let a rival run a split if it has run all before it."""
        if len(timing.seconds) == number - 1:
            contest.measure_rival(once, timing, number)

    def best_smo(self) -> str:
        return min(SEEDINGS, key=lambda name: (self.smo[name].capped, self.smo[name].mean))

    def row(self) -> dict:
        off, fresh = largest_distance(self.data[0], self.schemes[0], self.C0, self.gamma)
        seeding = self.best_smo()
        smo, rounds = self.smo[seeding], [len(scheme.weights) for scheme in self.schemes]

        def off_by(name):
            values = self.values.get(name)
            return float("nan") if values is None else float(np.abs(values - fresh).max())

        return {
            "gamma": self.gamma,
            "C0": self.C0,
            "reweightings": float(np.mean(rounds)),
            "converged": f"{sum(s.converged for s in self.schemes)} of {len(self.schemes)}",
            "events": float(
                np.mean([sum(p.n_events for p in s.model.paths_) for s in self.schemes])
            ),
            "path s": str(self.path),
            "scikit-learn s": str(self.svr),
            "runs of it": len(self.svr.seconds),
            "scikit-learn / path": self.svr.over(self.path.first(len(self.svr.seconds))),
            "SMO s": str(smo.with_columns()),
            "seeding": seeding,
            "runs of SMO": len(smo.seconds),
            "SMO / path": smo.with_columns().over(self.path.first(len(smo.seconds))),
            "path, kept s": str(self.kept),
            "SMO, kept s": str(smo),
            "SMO / path, kept": smo.over(self.kept.first(len(smo.seconds))),
            "path off": off,
            "scikit-learn off": off_by("svr"),
            "SMO off": off_by(seeding),
        }

    def costs(self) -> dict:
        smo = self.smo[self.best_smo()]
        contenders = {
            "path": self.path,
            "scikit-learn refits": self.svr,
            "warm SMO": smo.with_columns(),
            "path, values kept": self.kept,
            "warm SMO, values kept": smo,
        }
        return {"gamma": self.gamma, "C0": self.C0, **contenders}

    def errors(self) -> dict:
        """Return the mean squared errors at both ends of the scheme."""
        equal, ours = [], []
        for split, scheme in zip(self.data, self.schemes, strict=True):
            first = scheme.model.paths_[0].decision_function(split.X_test, 0.0)
            equal.append(np.mean((split.y_test - first) ** 2))
            ours.append(np.mean((split.y_test - scheme.model.predict(split.X_test)) ** 2))
        better = int(np.sum(np.array(ours) < equal))
        return {
            "gamma": self.gamma,
            "C0": self.C0,
            "equal weights": spread(equal),
            "reweighted": spread(ours),
            "better in": f"{better} of {len(ours)}",
        }


def spread(values) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{np.mean(values):.2f} ± {error:.2f}"


def main(given=None) -> None:
    options = contest.arguments(__doc__, "heteroscedastic", given)
    cells = [(gamma, C0) for gamma in options.gammas for C0 in options.c0]
    repetitions, n_train = options.repetitions, N_TRAIN
    if options.quick:
        cells, repetitions, n_train = [(10.0, 1.0), (1.0, 100.0)], 2, 100
    data = splits(options.data, repetitions, n_train)
    small = splits(options.data, 1, 30)[0]
    for seeding in SEEDINGS:  # compile
        warm_smo(small, exact_scheme(small, 1.0, 1.0), 1.0, 1.0, seeding, 10.0)
    rows, costs, errors = [], [], []
    for gamma, C0 in cells:
        cell = Cell(data, C0, gamma)
        rows.append(cell.row())
        costs.append(cell.costs())
        errors.append(cell.errors())
        results.write_csv(options.out / "heteroscedastic.csv", rows)
        results.write_csv(options.out / "heteroscedastic_errors.csv", errors)
    results.cost_figure(options.out / "heteroscedastic.png", costs, "seconds for a scheme")
    results.line_figure(options.out / "heteroscedastic_reweightings.png", rows, "reweightings")
    cost_note = COST_NOTE.format(
        repetitions=repetitions, n=n_train, repeat=contest.REPEAT_SECONDS, most=MAX_ITER
    )
    results.write_page(
        options.out / "heteroscedastic.md",
        "Unequal noise, Boston housing",
        [
            ("Cost", cost_note, rows),
            ("Error", ERROR_NOTE.format(n_test=len(data[0].y_test)), errors),
        ],
    )


if __name__ == "__main__":
    main()
