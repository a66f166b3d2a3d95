"""Online learning of the NASDAQ composite index: the paper's section 4.2, Figure 10.

A window of 2515 days; five days arrive and five depart, five times, and with each change the
sigmoid forgetting weights (a = 3) of all rows move. Against refitting with scikit-learn at every
change and against sequential minimal optimisation with alpha seeding, both to 1e-3, as
:mod:`reproduction.contest` says.

Then the error over the two years that follow, with and without forgetting: five days are predicted,
and learnt when their targets, which look five days ahead, are known.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.rivals.smo import SMOClassifier
from reproduction import contest
from reproduction.experiment import Options, Plan, run_alone
from weightpath.applications import prequential

DATA = "nasdaq"
A = 3.0
STEP = 5
CACHE_MB = 200.0
YEARS_AFTER = "2011-12-30"


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
        # What is timed is the path, and not its end alone.
        follow_paths=True,
    )


# Contenders ------------------------------------------------------------------------------------


def run_path(series: Series, start: bytes, keep: bool):
    """Slide; return the seconds and the model after every change."""
    model = pickle.loads(start)
    if keep:
        # A copy has no kernel values until a path is followed, be it one that leads nowhere. Then
        # it is given the whole matrix, as SMO is.
        model.svc_.reweight(model.window_weight_)
        for part in model.svc_.subproblems_:
            part.columns.whole()
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
        self.solver.grow(len(y))
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


def costs(series: Series, C0: float, gamma: float, repetitions: int, cap: float) -> dict:
    """Time all contenders in one cell and compare their answers with fits from scratch."""
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
        contest.measure_rival(refit_once, svc, repetition, cap)
        contest.measure_rival(smo_once, smo, repetition, cap)
    off, fresh = 0.0, np.empty(0)
    for slide, model in enumerate(models, 1):
        fresh = fresh_values(series, C0, gamma, slide)
        ours = model.decision_function(series.window(slide)[0])
        off = max(off, float(np.abs(ours - fresh).max()))
    window = series.window(series.n_slides)[0]
    rivals_off: dict[str, float | None] = {"scikit-learn": None, "SMO": None}
    if not svc.capped:
        values = last["svc"].decision_function(window)
        rivals_off["scikit-learn"] = float(np.abs(values - fresh).max())
    if not smo.capped:
        rivals_off["SMO"] = float(np.abs(last["smo"].decision_values() - fresh).max())
    return {
        "events": sum(model.path_.n_events for model in models),
        "mean margin": float(np.mean([m.path_.margin_size()[1].mean() for m in models])),
        "path": vars(path),
        "kept": vars(kept),
        "scikit-learn": vars(svc),
        "SMO": vars(smo),
        "off": {"path": off, **rivals_off},
    }


def errors(series: Series, C0: float, gamma: float) -> dict:
    """Test, then train, with and without forgetting."""
    found: dict = {"always up": float(np.mean(series.y[series.n_train :] != 1))}
    for name, forgetting in (("forgetting", A), ("equal weights", None)):
        model = online_model(series, C0, gamma, forgetting)
        result = prequential(
            model, series.X, series.y, batch=STEP, start=series.n_train, delay=STEP
        )
        found[name] = {
            "error": result.mean,
            "events": float(result.n_events[1:].mean()),
            "ms": 1e3 * float(result.seconds[1:].mean()),
        }
    return found


# The experiment --------------------------------------------------------------------------------


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=1)
    if options.quick:
        settings |= {"n": 300, "arriving": 10, "end": "2009-12-31", "tested": 20}
    else:
        settings |= {"n": 2515, "arriving": 25, "end": YEARS_AFTER, "tested": 500}
    grid = contest.grid(options.quick)
    return Plan(settings, [{"part": part, **cell} for part in ("cost", "error") for cell in grid])


@dataclass(frozen=True)
class Context:
    """The series whose costs are measured, the longer one for errors, and the settings."""

    series: Series
    later: Series
    settings: dict


def prepare(settings: dict, data, folder) -> Context:
    n = settings["n"]
    series = load(data, n_train=n, n_arriving=settings["arriving"])
    later = load(data, n_train=n, n_arriving=settings["tested"], end=settings["end"])
    WarmSMO(Series(series.X[:35], series.y[:35], 30), 1.0, 1.0, np.zeros(30)).run(10.0)  # compile
    return Context(series, later, settings)


def measure(context: Context, cell: dict) -> dict:
    C0, gamma = cell["C0"], cell["gamma"]
    if cell["part"] == "error":
        return errors(context.later, C0, gamma)
    settings = context.settings
    return costs(context.series, C0, gamma, settings["repetitions"], settings["cap"])


if __name__ == "__main__":
    run_alone("online")
