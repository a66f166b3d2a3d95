"""Online learning of the NASDAQ composite index: the paper's section 4.2, Figure 8.

A window of 2515 days; five days arrive and five depart, five times, and with each change the
sigmoid forgetting weights (a = 3) of all rows move. Against refitting with scikit-learn at every
change and against sequential minimal optimisation with alpha seeding, both to 1e-3, as
:mod:`weightpath.reproduction.contest` says.

Then the error over the two years that follow, with and without forgetting: five days are predicted,
and learnt when their targets, which look five days ahead, are known.
"""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import weightpath as wp
from weightpath.applications import prequential
from weightpath.benchmarks.rivals.smo import SMOClassifier
from weightpath.reproduction import contest, results

A = 3.0
STEP = 5
CACHE_MB = 200.0
YEARS_AFTER = "2011-12-30"

COST_NOTE = """\
Seconds of the processor for all {slides} changes of the window together, one thread; *path* is the
mean of {repetitions} runs, the rivals' repetitions are in the table (as many as fit into
{repeat:.0f} s, at least one), "> s" means stopped after s seconds without an end. Window of {n}
days, {step} arrive and {step} depart, weights forgetting(n, 3). Kernel values are forgotten before
every change as in the paper (SMO: those of the support vectors are computed); *kept*: they are not,
and SMO has the whole matrix for nothing. *off*: largest difference of
decision values on the window from those of `weightpath.SVC` fitted from scratch at the same
weights, over all changes for the path, at the last one for the rivals."""
ERROR_NOTE = """\
Misclassification over {tested} days after the first {n}, up to {end}, predicted five at a time
and learnt when their targets are known (a delay of five). *events* and *ms* (by the clock) are
means for one change; *always up* is the error of saying so every day."""


@dataclass(frozen=True)
class Series:
    """Rows scaled to [0, 1] by the first n_train of them."""

    X: np.ndarray
    y: np.ndarray
    n_train: int

    @property
    def n_slides(self) -> int:
        return (len(self.y) - self.n_train) // STEP

    def window(self, slide: int):
        rows = slice(STEP * slide, self.n_train + STEP * slide)
        return self.X[rows], self.y[rows]

    def arrivals(self, slide: int):
        first = self.n_train + STEP * (slide - 1)
        return self.X[first : first + STEP], self.y[first : first + STEP]


def load(home, **more) -> Series:
    nasdaq = wp.datasets.load_nasdaq(home, **more)
    X = MinMaxScaler().fit(nasdaq.data[: nasdaq.n_train]).transform(nasdaq.data)
    return Series(X, nasdaq.target, nasdaq.n_train)


def gamma_of(series: Series, gamma: float) -> float:
    return gamma / series.X.shape[1]


def online_model(series: Series, C0: float, gamma: float, forgetting=A):
    return wp.OnlineSVC(
        window=series.n_train,
        forgetting=forgetting,
        C=C0,
        gamma=gamma_of(series, gamma),
        cache_size=CACHE_MB,
    )


# Contenders ------------------------------------------------------------------------------------


def run_path(series: Series, start: bytes, keep: bool):
    """Slide; return the seconds and the model after every change."""
    model = pickle.loads(start)
    if keep:
        # The columns that a fit leaves behind: those of a path that leads nowhere.
        model.svc_.reweight(model.window_weight_)
    total, copies = 0.0, []
    for slide in range(1, series.n_slides + 1):
        if not keep:
            model = pickle.loads(pickle.dumps(model))  # a copy has no kernel columns
        arriving = series.arrivals(slide)
        begin = process_time()
        model.partial_fit(*arriving)
        total += process_time() - begin
        copies.append(pickle.dumps(model))
    return total, [pickle.loads(copy) for copy in copies]


def refits(series: Series, C0: float, gamma: float, max_seconds: float):
    weight = wp.weights.forgetting(series.n_train, A)
    steps = ((*series.window(slide), weight) for slide in range(1, series.n_slides + 1))

    def make():
        return SVC(C=C0, gamma=gamma_of(series, gamma), cache_size=CACHE_MB)

    return contest.refit_all(make, steps, max_seconds)


class WarmSMO:
    """Sequential minimal optimisation that goes on from where it was; rows reuse their places."""

    def __init__(self, series: Series, C0: float, gamma: float, alpha):
        self.series, self.gamma = series, gamma_of(series, gamma)
        X, y = series.window(0)
        self.weight = C0 * wp.weights.forgetting(series.n_train, A)
        self.X = X.copy()
        self.solver = SMOClassifier(rbf_kernel(X, gamma=self.gamma), y, self.weight)
        # Room for arrivals is made beforehand, and the first solution is given.
        self.solver.solve(alpha)
        self.solver._grow(len(y))
        self.place = np.arange(len(y))

    def run(self, max_seconds: float) -> tuple[float, float, bool]:
        """Return seconds, those of the kernel columns besides, and whether it was stopped."""
        total, columns = 0.0, 0.0
        for slide in range(1, self.series.n_slides + 1):
            columns += contest.column_seconds(self.X, self.solver.beta, self.gamma)
            begin = process_time()
            stopped = self.slide(slide, max_seconds - total)
            total += process_time() - begin
            if stopped:
                return total, columns, True
        return total, columns, False

    def slide(self, slide: int, max_seconds: float) -> bool:
        X, y = self.series.arrivals(slide)
        rows = self.place[:STEP]
        self.solver.remove(rows)
        self.X[rows] = X
        self.solver.insert(rbf_kernel(X, self.X, gamma=self.gamma), y, 0.0, rows)
        self.place = np.roll(self.place, -STEP)
        weight = np.empty_like(self.weight)
        weight[self.place] = self.weight
        self.solver.reweight(weight)
        self.result = self.solver.solve(max_seconds=max(max_seconds, 0.0))
        return self.result.capped

    def decision_values(self) -> np.ndarray:
        """Return the values on the window, in its order."""
        values = self.solver.target - self.solver.residual + self.result.bias
        return values[self.place]


def start_alpha(model: wp.OnlineSVC) -> np.ndarray:
    alpha = np.zeros(len(model.window_y_))
    alpha[model.svc_.support_] = np.abs(model.svc_.dual_coef_[0])
    return alpha


# One cell --------------------------------------------------------------------------------------


def fresh_values(series: Series, C0: float, gamma: float, slide: int) -> np.ndarray:
    X, y = series.window(slide)
    weight = wp.weights.forgetting(series.n_train, A)
    model = wp.SVC(C=C0, gamma=gamma_of(series, gamma), cache_size=CACHE_MB)
    return model.fit(X, y, sample_weight=weight).decision_function(X)


def one_cell(series: Series, C0: float, gamma: float, repetitions: int):
    """Return the row of the table and the timings."""
    print(f"gamma = {gamma:g}, C0 = {C0:g}", file=sys.stderr, flush=True)
    X, y = series.window(0)
    first = online_model(series, C0, gamma).fit(X, y)
    start, alpha = pickle.dumps(first), start_alpha(first)
    path, kept, svc, smo = (contest.Timing() for _ in range(4))
    last: dict = {}

    def refit_once(max_seconds):
        seconds, stopped, last["svc"] = refits(series, C0, gamma, max_seconds)
        return seconds, 0.0, stopped

    def smo_once(max_seconds):
        last["smo"] = WarmSMO(series, C0, gamma, alpha)
        return last["smo"].run(max_seconds)

    # In turns, so that a busy moment of the machine hits all.
    for repetition in range(1, repetitions + 1):
        kept.seconds.append(run_path(series, start, keep=True)[0])
        seconds, models = run_path(series, start, keep=False)
        path.seconds.append(seconds)
        contest.measure_rival(refit_once, svc, repetition)
        contest.measure_rival(smo_once, smo, repetition)
    off, fresh = 0.0, np.empty(0)
    for slide, model in enumerate(models, 1):
        fresh = fresh_values(series, C0, gamma, slide)
        off = max(
            off, float(np.abs(model.decision_function(series.window(slide)[0]) - fresh).max())
        )
    window = series.window(series.n_slides)[0]
    svc_off = np.nan if svc.capped else np.abs(last["svc"].decision_function(window) - fresh).max()
    smo_off = np.nan if smo.capped else np.abs(last["smo"].decision_values() - fresh).max()
    row = {
        "gamma": gamma,
        "C0": C0,
        "events": sum(model.path_.n_events for model in models),
        "mean margin": float(np.mean([m.path_.margin_size()[1].mean() for m in models])),
        "path s": str(path),
        "scikit-learn s": str(svc),
        "runs of it": len(svc.seconds),
        "scikit-learn / path": svc.over(path),
        "SMO s": str(smo.with_columns()),
        "runs of SMO": len(smo.seconds),
        "SMO / path": smo.with_columns().over(path),
        "path, kept s": str(kept),
        "SMO, kept s": str(smo),
        "SMO / path, kept": smo.over(kept),
        "path off": off,
        "scikit-learn off": float(svc_off),
        "SMO off": float(smo_off),
    }
    contenders = {
        "path": path,
        "scikit-learn refits": svc,
        "warm SMO": smo.with_columns(),
        "path, values kept": kept,
        "warm SMO, values kept": smo,
    }
    return row, {"gamma": gamma, "C0": C0, **contenders}


def errors(series: Series, C0: float, gamma: float) -> dict:
    """Test, then train, with and without forgetting."""
    row: dict = {"gamma": gamma, "C0": C0}
    for name, forgetting in (("forgetting", A), ("equal weights", None)):
        model = online_model(series, C0, gamma, forgetting)
        result = prequential(
            model, series.X, series.y, batch=STEP, start=series.n_train, delay=STEP
        )
        row[f"error, {name}"] = result.mean
        row[f"events, {name}"] = float(result.n_events[1:].mean())
        row[f"ms, {name}"] = 1e3 * float(result.seconds[1:].mean())
    row["error, always up"] = float(np.mean(series.y[series.n_train :] != 1))
    return row


def main(given=None) -> None:
    options = contest.arguments(__doc__, "online", given)
    cells = [(gamma, C0) for gamma in options.gammas for C0 in options.c0]
    sizes, after = {}, {"end": YEARS_AFTER, "n_arriving": 500}
    repetitions = options.repetitions
    if options.quick:
        sizes, after = {"n_train": 300, "n_arriving": 10}, {"n_train": 300, "n_arriving": 20}
        cells, repetitions = [(10.0, 1.0), (1.0, 100.0)], 1
    series, later = load(options.data, **sizes), load(options.data, **after)
    WarmSMO(Series(series.X[:35], series.y[:35], 30), 1.0, 1.0, np.zeros(30)).run(10.0)  # compile
    rows, costs, error_rows = [], [], []
    for gamma, C0 in cells:
        row, cost = one_cell(series, C0, gamma, repetitions)
        rows.append(row)
        costs.append(cost)
        results.write_csv(options.out / "online.csv", rows)
    for gamma, C0 in cells:
        error_rows.append(errors(later, C0, gamma))
        results.write_csv(options.out / "online_errors.csv", error_rows)
    what = f"seconds for {series.n_slides} changes"
    results.cost_figure(options.out / "online.png", costs, what)
    cost_note = COST_NOTE.format(
        slides=series.n_slides,
        repetitions=repetitions,
        repeat=contest.REPEAT_SECONDS,
        n=series.n_train,
        step=STEP,
    )
    tested = len(later.y) - later.n_train
    error_note = ERROR_NOTE.format(tested=tested, n=later.n_train, end=after.get("end", "2009"))
    results.write_page(
        options.out / "online.md",
        "Online learning, NASDAQ composite index",
        [("Cost", cost_note, rows), ("Error", error_note, error_rows)],
    )


if __name__ == "__main__":
    main()
