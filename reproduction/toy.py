"""The artificial example of the paper's section 4.1, Figures 4 to 7.

One sample of 400 rows whose path, data and exact validation error are drawn, and ten samples of
which the best weight is found.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import curves
from benchmarks.speed import fitted
from reproduction.experiment import Options, Plan, run_alone
from weightpath.datasets import make_toy

DATA = None
# The sample that is drawn, and its validation rows, as in `benchmarks.curves.example`.
SEED, VALIDATION_SEED = 0, 1000


def plan(options: Options) -> Plan:
    # It takes seconds: a quick run is a full one.
    n, n_validation, sets = curves.EXAMPLE_FULL
    settings = {"n": n, "validation": n_validation, "sets": sets}
    return Plan(settings, [{"part": "sample"}, {"part": "samples"}])


def prepare(settings: dict, data, folder: Path) -> tuple[dict, Path]:
    return settings, folder


def samples(n: int, n_validation: int):
    """Return the rows that are drawn and those to validate on."""
    train = make_toy(n, random_state=SEED)
    return train, make_toy(n_validation, random_state=VALIDATION_SEED, like=train)


def measure(context: tuple[dict, Path], cell: dict) -> dict:
    settings, folder = context
    n, n_validation = settings["n"], settings["validation"]
    if cell["part"] == "samples":
        return {"rows": curves.example((n, n_validation, settings["sets"]))}
    train, new = samples(n, n_validation)
    path = fitted(train).reweight(train.w_new)
    curve = path.curve(new.X, new.y, "zero_one", new.cost)
    path.save(folder / "path.npz")
    return {
        "events": int(path.n_events),
        "edges": curve.edges.tolist(),
        "values": curve.values.tolist(),
        "best": {
            "theta": float(curve.best.theta),
            "value": float(curve.best.value),
            "interval": [float(end) for end in curve.best.interval],
        },
        "violation": float(path.kkt_violation()),
    }


if __name__ == "__main__":
    run_alone("toy")
