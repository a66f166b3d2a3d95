"""The paper's Table 1: paths on the artificial data of section 4.1, ten data sets of each size.

Half of the weights go from 0 to 10. The path is measured against solving at each of its
breakpoints: by sequential minimal optimisation that goes on from solution to solution, as in the
paper, and by scikit-learn from scratch, at some of them, scaled up. Both to 1e-3.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import speed
from benchmarks.rivals.smo import SMOClassifier
from benchmarks.scorer import Scorer
from reproduction.contest import Timing
from reproduction.experiment import Options, Plan, run_alone
from weightpath.datasets import make_toy

DATA = None
SIZES = (400, 800, 1200, 1600)
N_SETS = 10
# Runs of each path, breakpoints at which scikit-learn is fitted, and places that are judged.
N_RUNS = 15
N_REFITS = 20
N_JUDGED = 21


def start(n: int, seed: int) -> speed.Run:
    """Draw a data set and follow its path."""
    data = make_toy(n, random_state=seed)
    path = speed.fitted(data).reweight(data.w_new)
    size = speed.Size(n, N_RUNS, N_REFITS)
    return speed.Run(size, data, path, Scorer(data.X, data.y, data.gamma))


def warm_smo(run: speed.Run, cap: float) -> Timing:
    """Solve at every breakpoint, each time from the solution before; the first one is given."""
    data, path = run.data, run.path
    solver = SMOClassifier(rbf_kernel(data.X, gamma=data.gamma), data.y, data.C_old)
    solver.solve(np.abs(path.at(0.0).dual_coef))
    total = 0.0
    for theta in path.theta[1:]:
        begin = process_time()
        solver.reweight(run.weights(theta))
        result = solver.solve(max_seconds=max(cap - total, 0.0))
        total += process_time() - begin
        if result.capped:
            return Timing([total], capped=True)
    return Timing([total])


def plan(options: Options) -> Plan:
    settings = options.settings(quick_repetitions=2) | {"runs": 3 if options.quick else N_RUNS}
    sizes = SIZES[:2] if options.quick else SIZES
    sets = settings.pop("repetitions")
    return Plan(settings, [{"n": n, "seed": seed} for n in sizes for seed in range(sets)])


def prepare(settings: dict, data, folder) -> dict:
    warm_smo(start(40, 0), 10.0)  # compiles
    return settings


def measure(settings: dict, cell: dict) -> dict:
    run = start(cell["n"], cell["seed"])
    path, cold = Timing(), Timing()
    # In turns, so that a busy moment of the machine hits all.
    for _ in range(settings["runs"]):
        path.seconds.append(speed.whole_path(run))
        cold.seconds.append(speed.whole_path_cold(run))
    places = speed.sample(run.path.theta, N_REFITS)
    refits = [speed.refit(run, theta)[1] for theta in places]
    judged = np.linspace(0.0, 1.0, N_JUDGED)
    return {
        "events": int(run.path.n_events),
        "breakpoints": run.n_breakpoints,
        "mean margin": float(run.path.margin_size()[1].mean()),
        "path": vars(path),
        "cold": vars(cold),
        "SMO": vars(warm_smo(run, settings["cap"])),
        "scikit-learn fit": float(np.mean(refits)),
        "violation": float(run.path.kkt_violation(judged)),
    }


if __name__ == "__main__":
    run_alone("table1")
