"""Transduction on spambase: the paper's section 5.3, Figure 19.

A tenth of the mails is labelled. Joachims' algorithm runs by paths; the same sequence of weights
and labels is then solved again by scikit-learn, from scratch, and by sequential minimal
optimisation with alpha seeding, both to 1e-3. Then the error on the unlabelled mails, with and
without them.
"""

from __future__ import annotations

from collections.abc import Iterator
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

DATA = "spambase"
LABELLED_PART = 0.1
CACHE_MB = 400.0
# Retrainings of scikit-learn that are measured, evenly among all; and steps that are judged.
N_REFITS = 10
N_JUDGED = 3


@dataclass(frozen=True)
class Task:
    """Mails, scaled to [0, 1], of which some have a label."""

    X: np.ndarray
    truth: np.ndarray
    y: np.ndarray

    @property
    def unlabelled(self) -> np.ndarray:
        return self.y == -1

    def error(self, labels) -> float:
        return float((labels != self.truth)[self.unlabelled].mean())


def load(home, n: int | None) -> tuple[np.ndarray, np.ndarray]:
    spambase = wp.datasets.load_spambase(home)
    X, target = minmax_scale(spambase.data), spambase.target
    if n is None:
        return X, target
    some = np.random.default_rng(0).choice(len(target), n, replace=False)
    return X[some], target[some]


def draw(X, target, run: int) -> Task:
    order = np.random.default_rng(run).permutation(len(target))
    labelled = order[: round(LABELLED_PART * len(target))]
    y = np.full(len(target), -1)
    y[labelled] = target[labelled]
    return Task(X, target, y)


def model_of(task: Task, C0: float, gamma: float, **more) -> wp.TransductiveSVC:
    width = gamma / task.X.shape[1]
    return wp.TransductiveSVC(C=C0, gamma=width, cache_size=CACHE_MB, **more)


def timed_fit(model, task: Task):
    begin = process_time()
    model.fit(task.X, task.y)
    return process_time() - begin


def problems(model, task: Task) -> Iterator[tuple[tuple[int, ...], np.ndarray, np.ndarray]]:
    """Yield, for the first model and every path: switched rows, labels and weights after it."""
    sign = np.where(model.transduction_ == model.classes_[1], 1.0, -1.0)
    for step in model.history_:
        sign[list(step.rows)] *= -1
    for step in model.history_:
        sign[list(step.rows)] *= -1
        star = np.where(sign > 0, step.C_plus, step.C_minus)
        yield step.rows, sign.copy(), np.where(task.unlabelled, star, model.C)


# Rivals ----------------------------------------------------------------------------------------


def refits(model, task: Task, cap: float) -> contest.Timing:
    """Fit some of the problems by scikit-learn; return the time that all would take.

    After ``cap`` seconds it stops, and the time is less than all would take.
    """
    number = np.unique(np.linspace(1, model.n_iter_, N_REFITS).astype(int))
    seconds: list[float] = []
    stopped = False
    for k, (_, sign, weight) in enumerate(problems(model, task)):
        if k in number and not stopped:
            svc = SVC(C=1.0, gamma=model.gamma, cache_size=CACHE_MB)
            left = cap - sum(seconds)
            spent, stopped = contest.capped_fit(svc, task.X, sign, weight, left)
            seconds.append(spent)
            stopped |= sum(seconds) >= cap
    return contest.Timing([float(np.mean(seconds)) * model.n_iter_], stopped)


def warm_smo(model, task: Task, K, cap: float) -> contest.Timing:
    """Solve all problems one after the other, each from the last solution."""
    solver, total = None, 0.0
    for rows, sign, weight in problems(model, task):
        if solver is None:
            solver = SMOClassifier(K, sign, weight)
            solver.solve(max_seconds=cap)
            continue
        begin = process_time()
        if rows:
            solver.relabel(np.array(rows), sign[list(rows)])
        solver.reweight(weight)
        result = solver.solve(max_seconds=max(cap - total, 0.0))
        total += process_time() - begin
        if result.capped or total >= cap:
            return contest.Timing([total], capped=True)
    return contest.Timing([total])


def largest_difference(task: Task, C0: float, gamma: float) -> float:
    """Judge some of the models on the way by fits from scratch."""
    model = model_of(task, C0, gamma, keep_paths=True).fit(task.X, task.y)
    judged = np.unique(np.linspace(1, model.n_iter_, N_JUDGED + 1).astype(int))[1:]
    off = 0.0
    for k, (_, sign, weight) in enumerate(problems(model, task)):
        if k in judged:
            fresh = wp.SVC(C=1.0, gamma=model.gamma, cache_size=CACHE_MB)
            fresh.fit(task.X, sign, sample_weight=weight)
            ours = model.paths_[k - 1].decision_function(task.X, 1.0)
            off = max(off, float(np.abs(ours - fresh.decision_function(task.X)).max()))
    return off


# One cell --------------------------------------------------------------------------------------


def costs(tasks: list[Task], C0: float, gamma: float, cap: float) -> dict:
    """Run Joachims' algorithm on all tasks, the rivals on the first, and judge it there."""
    path, retrainings, switches, without, with_them = contest.Timing(), [], [], [], []
    models: list[wp.TransductiveSVC] = []
    for task in tasks:
        model = model_of(task, C0, gamma)
        path.seconds.append(timed_fit(model, task))
        models = models or [model]
        retrainings.append(int(model.n_iter_))
        switches.append(int(model.n_switches_))
        without.append(task.error(model.initial_svc_.predict(task.X)))
        with_them.append(task.error(model.transduction_))
    first = models[0]
    svc = refits(first, tasks[0], cap)
    begin = process_time()
    K = rbf_kernel(tasks[0].X, gamma=first.gamma)
    matrix = process_time() - begin
    smo = warm_smo(first, tasks[0], K, cap)
    return {
        "retrainings": retrainings,
        "switches": switches,
        "events": int(sum(step.n_events for step in first.history_)),
        "path": vars(path),
        "scikit-learn": vars(svc),
        "SMO": vars(smo),
        "kernel matrix": matrix,
        "off": largest_difference(tasks[0], C0, gamma),
        "errors": {"labelled only": without, "transduction": with_them},
    }


def annealed(tasks: list[Task], C0: float, gamma: float) -> dict:
    """Let the weights of the unlabelled mails grow continuously."""
    seconds, errors, switches = [], [], []
    for task in tasks:
        model = model_of(task, C0, gamma, schedule="annealed")
        seconds.append(timed_fit(model, task))
        errors.append(task.error(model.transduction_))
        switches.append(int(model.n_switches_))
    return {"seconds": seconds, "errors": errors, "switches": switches}


# The experiment --------------------------------------------------------------------------------


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=2)
    settings |= {"n": 300 if options.quick else None, "annealed": 1}
    grid = contest.grid(options.quick)
    parts = ("cost", "annealed")
    return Plan(settings, [{"part": part, **cell} for part in parts for cell in grid])


def prepare(settings: dict, data, folder) -> tuple[list[Task], dict]:
    mails = load(data, settings["n"])
    warm_up = draw(*load(data, 100), 0)
    small = model_of(warm_up, 1.0, 1.0).fit(warm_up.X, warm_up.y)
    warm_smo(small, warm_up, rbf_kernel(warm_up.X), 10.0)  # compiles
    return [draw(*mails, run) for run in range(settings["repetitions"])], settings


def measure(context: tuple[list[Task], dict], cell: dict) -> dict:
    tasks, settings = context
    if cell["part"] == "annealed":
        return annealed(tasks[: settings["annealed"]], cell["C0"], cell["gamma"])
    return costs(tasks, cell["C0"], cell["gamma"], settings["cap"])


if __name__ == "__main__":
    run_alone("transduction")
