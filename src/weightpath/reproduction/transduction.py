"""Transduction on spambase: the paper's section 5.3, Figure 13.

A tenth of the mails is labelled. Joachims' algorithm runs by paths; the same sequence of weights
and labels is then solved again by scikit-learn, from scratch, and by sequential minimal
optimisation with alpha seeding, both to 1e-3. Then the error on the unlabelled mails, with and
without them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

import weightpath as wp
from weightpath.benchmarks.rivals.smo import SMOClassifier
from weightpath.reproduction import contest, results

LABELLED_PART = 0.1
CACHE_MB = 400.0
# Retrainings of scikit-learn that are measured, evenly among all; and steps that are judged.
N_REFITS = 10
N_JUDGED = 3

COST_NOTE = """\
Seconds of the processor for the whole of Joachims' algorithm, one thread, {n} mails of which {part}
are labelled, C* = C. *path*: `TransductiveSVC.fit`, the first model included; mean of {runs} runs
over random choices of the labelled mails. *retrainings*: changes of weights and switches of
labels, mean. The rivals solve the same sequence of problems of the first choice once, from the
first model on: *scikit-learn* fits {refits} of them, evenly among all, scaled up to all; *SMO*
solves all, each from the last solution, and is stopped after {cap:.0f} s ("> s"); it is given the
whole kernel matrix, whose computation (*kernel matrix*) is not charged, while ours computes its
columns. *off*: largest difference of decision values at {judged} retrainings, the last
among them, from those of `weightpath.SVC` fitted from scratch to the same weights and labels."""
ERROR_NOTE = """\
Misclassification of the unlabelled mails, mean and standard deviation over {runs} choices of the
labelled ones: by the model of the labelled mails alone, and by transduction. *annealed*: the weight
of the unlabelled mails grows continuously, {annealed} run(s)."""


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


def refits(model, task: Task) -> contest.Timing:
    """Fit some of the problems by scikit-learn; return the time that all would take."""
    number = np.unique(np.linspace(1, model.n_iter_, N_REFITS).astype(int))
    seconds = []
    for k, (_, sign, weight) in enumerate(problems(model, task)):
        if k in number:
            svc = SVC(C=1.0, gamma=model.gamma, cache_size=CACHE_MB)
            seconds.append(contest.capped_fit(svc, task.X, sign, weight, contest.CAP_SECONDS)[0])
    return contest.Timing([float(np.mean(seconds)) * model.n_iter_])


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


def one_cell(data, C0: float, gamma: float, options, n_annealed: int):
    """Return the rows of both tables and the timings."""
    print(f"gamma = {gamma:g}, C0 = {C0:g}", file=sys.stderr, flush=True)
    tasks = [draw(*data, run) for run in range(options.repetitions)]
    path, retrainings, switches, without, with_them = contest.Timing(), [], [], [], []
    first = None
    for task in tasks:
        model = model_of(task, C0, gamma)
        path.seconds.append(timed_fit(model, task))
        first = first or model
        retrainings.append(model.n_iter_)
        switches.append(model.n_switches_)
        without.append(task.error(model.initial_svc_.predict(task.X)))
        with_them.append(task.error(model.transduction_))
    svc = refits(first, tasks[0])
    begin = process_time()
    K = rbf_kernel(tasks[0].X, gamma=first.gamma)
    matrix = process_time() - begin
    smo = warm_smo(first, tasks[0], K, options.cap)
    row = {
        "gamma": gamma,
        "C0": C0,
        "retrainings": float(np.mean(retrainings)),
        "switches": float(np.mean(switches)),
        "events": sum(step.n_events for step in first.history_),
        "path s": str(path),
        "± s": float(np.std(path.seconds)),
        "scikit-learn s": str(svc),
        "scikit-learn / path": svc.over(contest.Timing(path.seconds[:1])),
        "SMO s": str(smo),
        "SMO / path": smo.over(contest.Timing(path.seconds[:1])),
        "kernel matrix s": matrix,
        "path off": largest_difference(tasks[0], C0, gamma),
    }
    errors = {
        "gamma": gamma,
        "C0": C0,
        "labelled only": f"{np.mean(without):.4f} ± {np.std(without):.4f}",
        "transduction": f"{np.mean(with_them):.4f} ± {np.std(with_them):.4f}",
        **annealed(tasks[:n_annealed], C0, gamma),
    }
    cost = {"gamma": gamma, "C0": C0, "path": path, "scikit-learn refits": svc, "warm SMO": smo}
    return row, errors, cost


def annealed(tasks: list[Task], C0: float, gamma: float) -> dict:
    seconds, errors, switches = [], [], []
    for task in tasks:
        model = model_of(task, C0, gamma, schedule="annealed")
        seconds.append(timed_fit(model, task))
        errors.append(task.error(model.transduction_))
        switches.append(model.n_switches_)
    return {
        "annealed": float(np.mean(errors)),
        "switches, annealed": float(np.mean(switches)),
        "s, annealed": float(np.mean(seconds)),
    }


def main(given=None) -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--cap", type=float, default=60.0)
    mine, rest = own.parse_known_args(given)
    options = contest.arguments(__doc__ + " --cap S stops a rival.", "transduction", rest)
    options.cap = mine.cap
    cells = [(gamma, C0) for gamma in options.gammas for C0 in options.c0]
    n, n_annealed = None, 1
    if options.quick:
        n, options.repetitions, cells = 400, 2, [(10.0, 1.0), (1.0, 100.0)]
    data = load(options.data, n)
    warm_up = draw(*load(options.data, 100), 0)
    small = model_of(warm_up, 1.0, 1.0).fit(warm_up.X, warm_up.y)
    warm_smo(small, warm_up, rbf_kernel(warm_up.X), 10.0)  # compiles
    rows, error_rows, costs = [], [], []
    for gamma, C0 in cells:
        row, errors, cost = one_cell(data, C0, gamma, options, n_annealed)
        rows.append(row)
        error_rows.append(errors)
        costs.append(cost)
        results.write_csv(options.out / "transduction.csv", rows)
        results.write_csv(options.out / "transduction_errors.csv", error_rows)
    results.cost_figure(options.out / "transduction.png", costs, "seconds for Joachims' algorithm")
    size, part = len(data[1]), round(LABELLED_PART * len(data[1]))
    cost_note = COST_NOTE.format(
        n=size,
        part=part,
        runs=options.repetitions,
        refits=N_REFITS,
        cap=options.cap,
        judged=N_JUDGED,
    )
    error_note = ERROR_NOTE.format(runs=options.repetitions, annealed=n_annealed)
    results.write_page(
        options.out / "transduction.md",
        "Transduction, spambase",
        [("Cost", cost_note, rows), ("Error", error_note, error_rows)],
    )


if __name__ == "__main__":
    main()
