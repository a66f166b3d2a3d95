"""Results that were never measured, to see what a report makes of them."""

from __future__ import annotations

from reproduction.contest import Timing


def timing(*seconds: float, capped: bool = False, columns: float | None = None) -> dict:
    extra = [] if columns is None else [columns] * len(seconds)
    return vars(Timing(list(seconds), capped, extra))


def online_cost(path: float, smo: float, *, capped: bool = False) -> dict:
    """One cell in which both took so long, SMO with a second more for kernel columns."""
    return {
        "events": 100,
        "mean margin": 7.5,
        "path": timing(path, path),
        "kept": timing(path / 2, path / 2),
        "scikit-learn": timing(10 * path),
        "SMO": timing(smo, capped=capped, columns=1.0),
        "off": {"path": 1e-12, "scikit-learn": 1e-3, "SMO": None if capped else 2e-3},
    }


def online_error(forgetting: float, equal: float) -> dict:
    return {
        "always up": 0.4,
        "forgetting": {"error": forgetting, "events": 30.0, "ms": 5.0},
        "equal weights": {"error": equal, "events": 40.0, "ms": 6.0},
    }


def covariate_cost(path: float, smo: float) -> dict:
    return {
        "events": [50, 60],
        "path": timing(path, path),
        "SMO at breakpoints": timing(smo),
        "SMO at places": timing(smo, smo),
        "scikit-learn at places": timing(100 * path),
        "off": 1e-12,
    }


def covariate_error(validation: float, later: float) -> dict:
    one = {"later": later, "validation": validation}
    worse = {"later": later + 0.1, "validation": validation + 0.1}
    return {
        "tasks": [
            {"equal weights": worse, "importance": one, "chosen": one, "theta": 0.5, "least": 0.1}
        ]
    }


def heteroscedastic(path: float, smo: float) -> dict:
    return {
        "reweightings": [10, 20],
        "converged": [True, False],
        "events": [100, 200],
        "path": timing(path, path),
        "kept": timing(path, path),
        "scikit-learn": timing(path, path),
        "SMO": {
            "clip": timing(2 * smo, columns=0.0),
            "bound": timing(smo, columns=0.0),
        },
        "off": {"path": 1e-10, "scikit-learn": 1e-3, "SMO": {"clip": 5e-3, "bound": 1e-3}},
        "errors": {"equal weights": [10.0, 12.0], "reweighted": [11.0, 11.5]},
    }


def transduction(path: float, smo: float, *, capped: bool = False) -> dict:
    return {
        "retrainings": [100, 120],
        "switches": [50, 60],
        "events": 3000,
        "path": timing(path, 3 * path),
        "scikit-learn": timing(10 * path),
        "SMO": timing(smo, capped=capped),
        "kernel matrix": 0.5,
        "off": 1e-11,
        "errors": {"labelled only": [0.2, 0.3], "transduction": [0.1, 0.2]},
    }


def ranking_path(path: float, margin: int = 20) -> dict:
    return {
        "documents": 9000,
        "pairs": 300_000,
        "fit s": 1.0,
        "path s": path,
        "events": 20_000,
        "segments": 19_000,
        "mean margin": 0.7 * margin,
        "largest margin": margin,
        "KKT violation": 1e-12,
        "peak MB": 1000.0,
        "NDCG curve s": 1.0,
        "NDCG edges": 100,
        "NDCG at uniform": 0.40,
        "NDCG at relevance": 0.41,
        "best NDCG": 0.42,
        "best theta": 0.3,
    }


def ranking_rival(seconds: float, *, capped: bool = False) -> dict:
    return {
        "SMO s": seconds,
        "points": 3 if capped else 10,
        "steps": 1000,
        "capped": capped,
        "largest violation": 1e-3,
    }
