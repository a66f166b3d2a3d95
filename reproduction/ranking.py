"""Ranking on OHSUMED (section 5.2 of the paper): paths over the grid of C0 and gamma.

For every fold, gamma and C0: `RankingSVM.fit` with uniform weights, the exact path to relevance
weights, its certificate, the exact NDCG@10 along it on the fold's validation part, and beside it
the paper's rival, SMO with one pair a step, warm-started at ten weights on the way.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.utils import Bunch

from benchmarks.rivals.pair_smo import PairSMO
from benchmarks.rivals.pairs import pairs_of
from reproduction.experiment import Options, Plan, run_alone
from reproduction.ranking_growth import first_queries, measure_growth
from weightpath import RankingSVM
from weightpath.datasets import load_ohsumed
from weightpath.kernels import Kernel

DATA = "ohsumed"
GAMMAS = (10.0, 1.0, 0.1)
WEIGHTS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
FOLDS = (1, 2, 3, 4, 5)

# Places at which the certificate is computed, besides both ends.
PLACES = 100

# Weights on the way at which the rival is trained.
RIVAL_POINTS = 10

PARTS = ("path", "rival")

# Numbers of queries at which growth is measured; a fold has 63 or 64.
QUERIES = (4, 8, 16, 32, 63)


def path_file(folder: Path, cell: dict) -> Path:
    """Where margin sizes and curve of a path are kept."""
    return folder / f"path-{cell['fold']}-{cell['gamma']:g}-{cell['C0']:g}.npz"


def follow(train: Bunch, validation: Bunch, cell: dict, file: Path) -> dict:
    """Run one path; margin sizes and curve go to a file of their own."""
    n, p = train.data.shape
    model = RankingSVM(C=cell["C0"], gamma=cell["gamma"] / p)
    begin = process_time()
    model.fit(train.data, train.target, qid=train.qid)
    fitted = process_time()
    path = model.reweight("relevance")
    traced = process_time()
    violation = path.kkt_violation(np.linspace(0.0, 1.0, PLACES))
    judged = process_time()
    curve = path.curve(
        validation.data, validation.target, "ndcg", qid=validation.qid, k=10, convention="paper"
    )
    measured = process_time()
    theta, margin = path.margin_size()
    np.savez(file, theta=theta, margin=margin, edges=curve.edges, values=curve.values)
    return {
        "documents": n,
        "pairs": len(model.pairs_),
        "fit s": fitted - begin,
        "path s": traced - fitted,
        "events": int(path.n_events),
        "segments": len(path),
        "mean margin": float(np.average(margin, weights=np.diff(theta))),
        "largest margin": int(margin.max(initial=0)),
        "KKT violation": float(violation),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "NDCG curve s": measured - judged,
        "NDCG edges": len(curve),
        "NDCG at uniform": float(curve(0.0)),
        "NDCG at relevance": float(curve(1.0)),
        "best NDCG": float(curve.best.value),
        "best theta": float(curve.best.theta),
    }


def compete(train: Bunch, cell: dict, cap: float) -> dict:
    """Train the rival at weights on the way, each from the solution before."""
    order = np.argsort(train.qid, kind="stable")
    X, y, qid = train.data[order], train.target[order], train.qid[order]
    C0, kernel = cell["C0"], Kernel("rbf", gamma=cell["gamma"] / X.shape[1])
    pairs = pairs_of(y, qid)
    gain = np.exp2(y)
    relevance = gain[pairs.high] - gain[pairs.low]
    solver = PairSMO(kernel.between(X, X), pairs, np.full(len(pairs), C0))
    solver.solve(np.full(len(pairs), C0), max_seconds=cap)
    spent = worst = 0.0
    steps = points = 0
    capped = False
    for theta in np.linspace(0.0, 1.0, RIVAL_POINTS + 1)[1:]:
        begin = process_time()
        solver.reweight(C0 * ((1.0 - theta) + theta * relevance), "bound")
        result = solver.solve(max_seconds=max(0.1, cap - spent))
        spent += process_time() - begin
        steps += int(result.iterations)
        capped = bool(result.capped)
        if capped:
            break
        points += 1
        worst = max(worst, float(result.violation))
    return {
        "SMO s": spent,
        "points": points,
        "steps": steps,
        "capped": capped,
        "largest violation": worst,
    }


# The experiment --------------------------------------------------------------------------------


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=1)
    # Each fold is a repetition.
    del settings["repetitions"]
    settings["queries"] = 3 if options.quick else None
    folds, weights = ((1,), WEIGHTS[1:4:2]) if options.quick else (FOLDS, WEIGHTS)
    grid = [
        {"fold": fold, "gamma": gamma, "C0": C0}
        for fold in folds
        for gamma in GAMMAS
        for C0 in weights
    ]
    # In turns, so that a busy moment of the machine hits both.
    cells = [{"part": part, **cell} for cell in grid for part in PARTS]
    sizes = QUERIES[:2] if options.quick else QUERIES
    return Plan(settings, cells + [{"part": "growth", "queries": count} for count in sizes])


@dataclass
class Context:
    """The folds, each loaded when it is needed."""

    settings: dict
    data: Path | None
    folder: Path
    fold: int | None = None
    parts: tuple[Bunch, ...] = ()

    def load(self, fold: int) -> tuple[Bunch, ...]:
        if fold != self.fold:
            queries = self.settings["queries"]
            self.parts = tuple(
                first_queries(load_ohsumed(fold, part, self.data), queries)
                for part in ("train", "validation")
            )
            self.fold = fold
        return self.parts


def prepare(settings: dict, data, folder: Path) -> Context:
    context = Context(settings, data, folder / "quick" if settings["quick"] else folder)
    context.load(1)
    context.folder.mkdir(parents=True, exist_ok=True)
    PairSMO(np.eye(3), pairs_of([0, 1, 2], [1, 1, 1]), 1.0).solve()  # compiles
    return context


def measure(context: Context, cell: dict) -> dict:
    if cell["part"] == "growth":
        return measure_growth(cell["queries"], context.data)
    train, validation = context.load(cell["fold"])
    if cell["part"] == "rival":
        return compete(train, cell, context.settings["cap"])
    return follow(train, validation, cell, path_file(context.folder, cell))


if __name__ == "__main__":
    run_alone("ranking")
