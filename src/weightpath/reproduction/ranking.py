"""Ranking on OHSUMED (section 5.2 of the paper): paths over the grid of C0 and gamma.

For every fold, gamma and C0: `RankingSVM.fit` with uniform weights, the exact path to relevance
weights, its certificate, the exact NDCG@10 along it on the fold's validation part, and beside it
the paper's rival, SMO with one pair a step, warm-started at ten weights on the way. Rows are
written as they come, and what is there already is not run again.
"""

from __future__ import annotations

import argparse
import csv
import resource
from pathlib import Path
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from weightpath import RankingSVM
from weightpath.datasets import load_ohsumed
from weightpath.kernels import Kernel

GAMMAS = (10.0, 1.0, 0.1)
WEIGHTS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
FOLDS = (1, 2, 3, 4, 5)

# Places at which the certificate is computed, besides both ends.
PLACES = 100

# Weights on the way at which the rival is trained, and its time for all of them, in seconds.
RIVAL_POINTS = 10
RIVAL_SECONDS = 600.0

NAMES = (
    "fold", "gamma", "C0", "documents", "pairs", "fit s", "path s", "events", "segments",
    "mean margin", "largest margin", "KKT violation", "peak MB", "NDCG curve s", "NDCG edges",
    "NDCG at uniform", "NDCG at relevance", "best NDCG", "best theta",
)  # fmt: skip
RIVAL_NAMES = ("fold", "gamma", "C0", "SMO s", "points", "steps", "capped", "largest violation")


def one_setting(fold: int, gamma: float, C0: float, data, out: Path) -> dict:
    """Run one path; margin sizes and curve go to a file of their own."""
    train, validation = (load_ohsumed(fold, part, data) for part in ("train", "validation"))
    n, p = train.data.shape
    model = RankingSVM(C=C0, gamma=gamma / p)
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
    np.savez(
        out / f"path-{fold}-{gamma:g}-{C0:g}.npz",
        theta=theta,
        margin=margin,
        edges=curve.edges,
        values=curve.values,
    )
    sizes = (n, len(model.pairs_), fitted - begin, traced - fitted, path.n_events, len(path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    margins = (float(np.average(margin, weights=np.diff(theta))), int(margin.max(initial=0)))
    best = curve.best
    values = (measured - judged, len(curve), curve(0.0), curve(1.0), best.value, best.theta)
    row = (fold, gamma, C0, *sizes, *margins, violation, peak, *values)
    return dict(zip(NAMES, row, strict=True))


def one_rival(fold: int, gamma: float, C0: float, data, seconds: float) -> dict:
    """Train the rival at weights on the way, each from the solution before."""
    from weightpath.benchmarks.rivals.pair_smo import PairSMO
    from weightpath.benchmarks.rivals.pairs import pairs_of

    train = load_ohsumed(fold, "train", data)
    order = np.argsort(train.qid, kind="stable")
    X, y, qid = train.data[order], train.target[order], train.qid[order]
    kernel = Kernel("rbf", gamma=gamma / X.shape[1])
    pairs = pairs_of(y, qid)
    gain = np.exp2(y)
    relevance = gain[pairs.high] - gain[pairs.low]
    K = kernel.between(X, X)
    _compile()
    solver = PairSMO(K, pairs, np.full(len(pairs), C0))
    solver.solve(np.full(len(pairs), C0), max_seconds=seconds)
    spent = worst = 0.0
    steps = points = 0
    capped = False
    for theta in np.linspace(0.0, 1.0, RIVAL_POINTS + 1)[1:]:
        begin = process_time()
        solver.reweight(C0 * ((1.0 - theta) + theta * relevance), "bound")
        result = solver.solve(max_seconds=max(0.1, seconds - spent))
        spent += process_time() - begin
        steps += result.iterations
        if result.capped:
            capped = True
            break
        points += 1
        worst = max(worst, result.violation)
    row = (fold, gamma, C0, spent, points, steps, capped, worst)
    return dict(zip(RIVAL_NAMES, row, strict=True))


def _compile() -> None:
    """Let the rival be compiled before its time counts."""
    from weightpath.benchmarks.rivals.pair_smo import PairSMO
    from weightpath.benchmarks.rivals.pairs import pairs_of

    PairSMO(np.eye(3), pairs_of([0, 1, 2], [1, 1, 1]), 1.0).solve()


def done(file: Path) -> set[tuple]:
    """Return the settings that a file has already."""
    if not file.exists():
        return set()
    with file.open(newline="") as stream:
        return {(int(r["fold"]), float(r["gamma"]), float(r["C0"])) for r in csv.DictReader(stream)}


def append(file: Path, row: dict) -> None:
    """Add one row to a table."""
    fresh = not file.exists()
    with file.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, list(row))
        if fresh:
            writer.writeheader()
        writer.writerow(row)
    print(", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=None, help="folder of the data; else WEIGHTPATH_DATA")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folds", type=int, nargs="+", default=FOLDS)
    parser.add_argument("--gammas", type=float, nargs="+", default=GAMMAS)
    parser.add_argument("--weights", type=float, nargs="+", default=WEIGHTS)
    parser.add_argument("--rival", action="store_true", help="run the rival instead of the paths")
    parser.add_argument("--rival-seconds", type=float, default=RIVAL_SECONDS)
    parser.add_argument("--quick", action="store_true", help="one fold, C0 up to 1e-3")
    options = parser.parse_args()
    if options.quick:
        options.folds, options.weights = (1,), WEIGHTS[:3]
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / ("ranking-rival.csv" if options.rival else "ranking.csv")
    before = done(file)
    with threadpool_limits(1):
        for fold in options.folds:
            for gamma in options.gammas:
                for C0 in options.weights:
                    if (fold, gamma, C0) in before:
                        continue
                    if options.rival:
                        row = one_rival(fold, gamma, C0, options.data, options.rival_seconds)
                    else:
                        row = one_setting(fold, gamma, C0, options.data, options.out)
                    append(file, row)


if __name__ == "__main__":
    main()
