"""Covariate shift between sessions of brain signals: the paper's section 4.3, Figure 9.

The weights of a training session go from equal ones to the importance for the later session. The
path is measured against solving at each of its breakpoints, and at 100 places, by scikit-learn and
by sequential minimal optimisation with alpha seeding, both to 1e-3. Then the error in the later
session with equal weights, with importance weights, and with the flattening that
importance-weighted cross-validation chooses exactly.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

import weightpath as wp
from weightpath.benchmarks.rivals.smo import SMOClassifier
from weightpath.reproduction import contest, results

# Sizes between the paper's: 500 to 1000 and 200 to 300 rows, 4 features.
N_TRAIN, N_TEST, N_FEATURES = 750, 250, 4
N_PLACES = 100
FOLDS = 5
# Refits of scikit-learn that are measured for each task, and places that are judged.
N_REFITS = 10
N_JUDGED = 3
REPEAT_SECONDS = 6.0

BREAKS, PLACES, REFITS = (
    "warm SMO at all breakpoints",
    f"warm SMO at {N_PLACES} places",
    f"scikit-learn at {N_PLACES} places",
)
results.STYLES |= {
    BREAKS: ("#D55E00", "-"),
    PLACES: ("#D55E00", ":"),
    REFITS: ("#009E73", "-"),
}

COST_NOTE = """\
Seconds of the processor, one thread, for one task: mean over {tasks} tasks (subject, training
session, two labels) of {n} training rows for the *path* from equal weights to importance; the
rivals run as many of these tasks as fit into {repeat:.0f} s a cell, at least one (*tasks*), and
are compared on those. *SMO* goes on from solution to solution, with the whole kernel matrix given,
at all breakpoints of the path and at {places} places; *scikit-learn* fits from scratch at {refits}
of the places, scaled up. "> s" means stopped after s seconds. The first solution is given to all.
*off*: largest difference of decision values from those of `weightpath.SVC` fitted from scratch, at
{judged} places of every task."""
ERROR_NOTE = """\
Misclassification in the later session, mean over {tasks} tasks: with equal weights, with the
importance itself, and with the flattening θ chosen exactly by importance-weighted {folds}-fold
cross-validation; *better / worse*: in how many tasks the chosen one has fewer or more errors than
equal weights. *least*: the best flattening in hindsight, by the labels of the later session."""
CHOICE_NOTE = """\
As above, with C0 and gamma chosen for each task, and each kind of weights, by the same
cross-validation."""


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


def run_smo(task: Task, C0: float, gamma: float, places, cap: float) -> tuple[float, bool]:
    """Solve at all places, each from the last solution."""
    K = rbf_kernel(task.X, gamma=width(gamma))
    solver = SMOClassifier(K, task.y, np.full(len(task.y), C0))
    solver.solve(max_seconds=cap)
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
    """Return the largest difference of decision values from fits from scratch."""
    off = 0.0
    for theta in np.linspace(0, 1, N_JUDGED):
        fresh = wp.SVC(C=C0, gamma=width(gamma))
        fresh.fit(task.X, task.y, sample_weight=task.weight(theta))
        ours = path.decision_function(task.X_later, theta)
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


def one_cell(tasks: list[Task], C0: float, gamma: float, cap: float, limit: float):
    """Return the row of the table and the timings."""
    print(f"gamma = {gamma:g}, C0 = {C0:g}", file=sys.stderr, flush=True)
    runs = [run_path(task, C0, gamma) for task in tasks]
    path, paths = contest.Timing([seconds for seconds, _ in runs]), [path for _, path in runs]
    grid = np.linspace(0, 1, N_PLACES + 1)[1:]
    at_breaks = compete(
        tasks, lambda t, k: run_smo(t, C0, gamma, paths[k].theta[1:], cap), limit, lambda s: s
    )
    at_places = compete(tasks, lambda t, k: run_smo(t, C0, gamma, grid, cap), limit, lambda s: s)
    refits = compete(
        tasks,
        lambda t, k: run_refits(t, C0, gamma, cap),
        limit,
        lambda s: s * N_REFITS / N_PLACES,
    )
    row: dict = {
        "gamma": gamma,
        "C0": C0,
        "events": float(np.mean([p.n_events for p in paths])),
        "path s": str(path),
        "± s": float(np.std(path.seconds)),
    }
    for name, timing in (
        (BREAKS, at_breaks),
        (PLACES, at_places),
        (REFITS, refits),
    ):
        same = contest.Timing(path.seconds[: len(timing.seconds)])
        row |= {f"{name} s": str(timing), f"{name} / path": timing.over(same)}
        row[f"tasks, {name}"] = len(timing.seconds)
    row["path off"] = max(judge(t, C0, gamma, p) for t, p in zip(tasks, paths, strict=True))
    costs = {
        "gamma": gamma,
        "C0": C0,
        "path": path,
        BREAKS: at_breaks,
        PLACES: at_places,
        REFITS: refits,
    }
    return row, costs


def predictions(task: Task, C0: float, gamma: float) -> dict:
    """Return errors in the later session, and validation errors, for each kind of weights."""
    model = wp.CovariateShiftSVC(wp.SVC(C=C0, gamma=width(gamma)), cv=FOLDS)
    model.fit(task.X, task.y, task.X_later)
    later = model.path_.curve(task.X_later, task.y_later, "zero_one")
    chosen = model.flattening_
    places = {"equal weights": 0.0, "importance": 1.0, "chosen": chosen}
    found = {name: (later(theta), model.curve_(theta)) for name, theta in places.items()}
    return {**found, "theta": chosen, "least": later.best.value}


def error_row(found: list[dict]) -> dict:
    row = {name: mean_error(found, name) for name in ("equal weights", "importance", "chosen")}
    gain = [one["equal weights"][0] - one["chosen"][0] for one in found]
    row["better / worse"] = f"{sum(g > 0 for g in gain)} / {sum(g < 0 for g in gain)}"
    row["mean θ"] = float(np.mean([one["theta"] for one in found]))
    row["least"] = float(np.mean([one["least"] for one in found]))
    return row


def mean_error(found: list[dict], name: str) -> float:
    return float(np.mean([one[name][0] for one in found]))


def choice_row(by_cell: list[list[dict]]) -> dict:
    """Return mean errors with the cell chosen, for each task, by validation."""
    row = {}
    for name in ("equal weights", "importance", "chosen"):
        best = [
            min(cells, key=lambda one: one[name][1])[name][0]
            for cells in zip(*by_cell, strict=True)
        ]
        row[name] = float(np.mean(best))
    return row


def main(given=None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--cap", type=float, default=60.0)
    mine, rest = own.parse_known_args(given)
    options = contest.arguments(__doc__ + " --cap S stops a rival.", "covariate_shift", rest)
    cells = [(gamma, C0) for gamma in options.gammas for C0 in options.c0]
    sizes, n_tasks, limit = (N_TRAIN, N_TEST), None, REPEAT_SECONDS
    if options.quick:
        sizes, n_tasks, limit, cells = (150, 80), 3, 1.0, [(10.0, 1.0), (1.0, 100.0)]
    tasks = load(options.data, *sizes, n_tasks)
    run_smo(tasks[0], 1.0, 1.0, [1.0], 10.0)  # compiles
    rows, costs, error_rows, by_cell = [], [], [], []
    for gamma, C0 in cells:
        row, cost = one_cell(tasks, C0, gamma, mine.cap, limit)
        rows.append(row)
        costs.append(cost)
        by_cell.append([predictions(task, C0, gamma) for task in tasks])
        error_rows.append({"gamma": gamma, "C0": C0, **error_row(by_cell[-1])})
        results.write_csv(options.out / "covariate_shift.csv", rows)
        results.write_csv(options.out / "covariate_shift_errors.csv", error_rows)
    results.cost_figure(options.out / "covariate_shift.png", costs, "seconds for one task")
    cost_note = COST_NOTE.format(
        tasks=len(tasks),
        n=sizes[0],
        repeat=limit,
        places=N_PLACES,
        refits=N_REFITS,
        judged=N_JUDGED,
    )
    results.write_page(
        options.out / "covariate_shift.md",
        "Covariate shift, BCI",
        [
            ("Cost", cost_note, rows),
            ("Error", ERROR_NOTE.format(tasks=len(tasks), folds=FOLDS), error_rows),
            ("Error, parameters chosen", CHOICE_NOTE, [choice_row(by_cell)]),
        ],
    )


if __name__ == "__main__":
    main()
