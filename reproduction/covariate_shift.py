"""Covariate shift between sessions of brain signals: the paper's section 4.3, Figure 11.

The weights of a training session go from equal ones to the importance for the later session. The
path is measured against solving at each of its breakpoints, and at 100 places, by scikit-learn and
by sequential minimal optimisation with alpha seeding, both to 1e-3. Then the error in the later
session with equal weights, with importance weights, and with the flattening that
importance-weighted cross-validation chooses exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.rivals.smo import SMOClassifier
from reproduction import contest
from reproduction.experiment import Options, Plan, run_alone

DATA = "bci"
# Sizes between the paper's: 500 to 1000 and 200 to 300 rows, 4 features.
N_TRAIN, N_TEST, N_FEATURES = 750, 250, 4
N_PLACES = 100
FOLDS = 5
# Refits of scikit-learn that are measured for each task, and places that are judged.
N_REFITS = 10
N_JUDGED = 3
REPEAT_SECONDS = 6.0


@dataclass(frozen=True)
class Task:
    """A training session and a later one, scaled to [0, 1], and the importance."""

    X: np.ndarray
    y: np.ndarray
    X_later: np.ndarray
    y_later: np.ndarray
    importance: np.ndarray

    def weight(self, theta: float) -> np.ndarray:
        return 1.0 - theta + theta * self.importance


def load(home, n_train: int, n_test: int, n_tasks: int | None) -> list[Task]:
    tasks = []
    for choice in wp.datasets.bci_tasks()[:n_tasks]:
        raw = wp.datasets.load_bci(
            **choice, data_home=home, n_components=N_FEATURES, n_train=n_train, n_test=n_test
        )
        both = minmax_scale(np.vstack([raw.data, raw.test_data]))
        X, X_later = both[:n_train], both[n_train:]
        y, y_later = (
            np.where(z == choice["labels"][1], 1, -1) for z in (raw.target, raw.test_target)
        )
        tasks.append(Task(X, y, X_later, y_later, wp.weights.importance(X, X_later)))
    return tasks


def width(gamma: float) -> float:
    return gamma / N_FEATURES


# Contenders ------------------------------------------------------------------------------------


def run_path(task: Task, C0: float, gamma: float):
    model = wp.SVC(C=C0, gamma=width(gamma)).fit(task.X, task.y)
    begin = process_time()
    path = model.reweight(task.importance)
    return process_time() - begin, path


def run_smo(task: Task, C0: float, gamma: float, places, first, cap: float) -> tuple[float, bool]:
    """Solve at all places, each from the last solution, from the coefficients ``first`` on."""
    K = rbf_kernel(task.X, gamma=width(gamma))
    solver = SMOClassifier(K, task.y, np.full(len(task.y), C0))
    solver.solve(first, max_seconds=cap)
    begin = process_time()
    for theta in places:
        left = cap - (process_time() - begin)
        solver.reweight(C0 * task.weight(theta))
        if solver.solve(max_seconds=max(left, 0.0)).capped:
            return process_time() - begin, True
    return process_time() - begin, False


def run_refits(task: Task, C0: float, gamma: float, cap: float) -> tuple[float, bool]:
    """Fit scikit-learn at some of the places; return what all would take."""
    seconds = []
    for theta in np.linspace(0, 1, N_REFITS):
        model = SVC(C=C0, gamma=width(gamma))
        spent, stopped = contest.capped_fit(model, task.X, task.y, task.weight(theta), cap)
        seconds.append(spent)
        if stopped:
            return spent, True
    return float(np.mean(seconds)) * N_PLACES, False


def judge(task: Task, C0: float, gamma: float, path) -> float:
    """Return the largest difference of decision values from fits from scratch.

    By the models there: where a bias is free at one place alone, such as the beginning, the model
    has the middle of its interval, as a fit has, while the path has what it goes on with.
    """
    off = 0.0
    for theta in np.linspace(0, 1, N_JUDGED):
        fresh = wp.SVC(C=C0, gamma=width(gamma))
        fresh.fit(task.X, task.y, sample_weight=task.weight(theta))
        ours = path.model_at(theta).decision_function(task.X_later)
        off = max(off, float(np.abs(ours - fresh.decision_function(task.X_later)).max()))
    return off


# One cell --------------------------------------------------------------------------------------


def compete(tasks: list[Task], run, limit: float, actual) -> contest.Timing:
    """Let a rival do one task after the other while there is time.

    ``actual`` is what the seconds of a run are worth: a scaled figure takes less to measure.
    """
    timing, spent = contest.Timing(), 0.0
    for task, k in zip(tasks, range(len(tasks)), strict=True):
        seconds, stopped = run(task, k)
        timing.seconds.append(seconds)
        timing.capped |= stopped
        spent += actual(seconds)
        if stopped or spent + actual(timing.mean) > limit:
            break
    return timing


def costs(tasks: list[Task], C0: float, gamma: float, cap: float, limit: float) -> dict:
    """Time all contenders in one cell, and judge the paths."""
    runs = [run_path(task, C0, gamma) for task in tasks]
    path, paths = contest.Timing([seconds for seconds, _ in runs]), [path for _, path in runs]
    first = [np.abs(path.at(0.0).dual_coef) for path in paths]
    grid = np.linspace(0, 1, N_PLACES + 1)[1:]

    def smo_at_breakpoints(task: Task, k: int):
        return run_smo(task, C0, gamma, paths[k].theta[1:], first[k], cap)

    def smo_at_places(task: Task, k: int):
        return run_smo(task, C0, gamma, grid, first[k], cap)

    at_breaks = compete(tasks, smo_at_breakpoints, limit, lambda s: s)
    at_places = compete(tasks, smo_at_places, limit, lambda s: s)
    refits = compete(
        tasks,
        lambda t, k: run_refits(t, C0, gamma, cap),
        limit,
        lambda s: s * N_REFITS / N_PLACES,
    )
    return {
        "events": [path.n_events for path in paths],
        "path": vars(path),
        "SMO at breakpoints": vars(at_breaks),
        "SMO at places": vars(at_places),
        "scikit-learn at places": vars(refits),
        "off": max(judge(t, C0, gamma, p) for t, p in zip(tasks, paths, strict=True)),
    }


def predictions(task: Task, C0: float, gamma: float) -> dict:
    """Return errors in the later session, and validation errors, for each kind of weights."""
    model = wp.CovariateShiftSVC(wp.SVC(C=C0, gamma=width(gamma)), cv=FOLDS)
    model.fit(task.X, task.y, task.X_later)
    later = model.path_.curve(task.X_later, task.y_later, "zero_one")
    chosen = model.flattening_
    places = {"equal weights": 0.0, "importance": 1.0, "chosen": chosen}
    found = {
        name: {"later": float(later(theta)), "validation": float(model.curve_(theta))}
        for name, theta in places.items()
    }
    return {**found, "theta": float(chosen), "least": float(later.best.value)}


# The experiment --------------------------------------------------------------------------------


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=1)
    # Each task is a repetition.
    del settings["repetitions"]
    if options.quick:
        settings |= {"n": 150, "n_later": 80, "tasks": 3, "rival_seconds": 1.0}
    else:
        settings |= {"n": N_TRAIN, "n_later": N_TEST, "tasks": None}
        settings["rival_seconds"] = REPEAT_SECONDS
    grid = contest.grid(options.quick)
    return Plan(settings, [{"part": part, **cell} for part in ("cost", "error") for cell in grid])


def prepare(settings: dict, data, folder) -> tuple[list[Task], dict]:
    tasks = load(data, settings["n"], settings["n_later"], settings["tasks"])
    run_smo(tasks[0], 1.0, 1.0, [1.0], None, 10.0)  # compiles
    return tasks, settings


def measure(context: tuple[list[Task], dict], cell: dict) -> dict:
    tasks, settings = context
    C0, gamma = cell["C0"], cell["gamma"]
    if cell["part"] == "error":
        return {"tasks": [predictions(task, C0, gamma) for task in tasks]}
    return costs(tasks, C0, gamma, settings["cap"], settings["rival_seconds"])


if __name__ == "__main__":
    run_alone("covariate-shift")
