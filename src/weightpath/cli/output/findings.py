"""What a command found out, as plain values: the content of summary.json."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from weightpath.cli.input.features import DATE, NUMBER, TEXT
from weightpath.cli.input.preparation import MODEL
from weightpath.cli.input.training_data import TrainingData
from weightpath.curves import Curve
from weightpath.path import SolutionPath

__all__ = [
    "about_curve",
    "about_data",
    "about_model",
    "about_path",
    "certificate",
    "plain",
    "theta_of_interest",
]

# The certificate covers all breakpoints and middles of segments while rows times segments are at
# most so many (some ten seconds); beyond, at so many theta evenly along the path.
EVERYWHERE = 20_000_000
PLACES = 101

# After an interrupt the user does not want to wait: the end alone is certified, and nothing of a
# path over more rows than this.
MOST_IN_HURRY = 5_000


def about_data(data: TrainingData, model: Any) -> dict[str, Any]:
    """Return rows, columns and target; ``model`` is fitted on them."""
    settings, rows = data.settings, data.rows
    found: dict[str, Any] = {
        "file": str(settings.data),
        "task": settings.task,
        "rows": len(data),
        "columns": len(data.feature_names),
        "features": int(model[MODEL].n_features_in_),
        "feature_names": data.feature_names,
        "target": data.target,
        "scaling": data.scale,
    }
    if settings.task == "classification":
        classes, counts = np.unique(rows.y, return_counts=True)
        found["classes"] = dict(zip(map(str, classes.tolist()), counts.tolist(), strict=True))
    if rows.qid is not None:
        found["queries"] = len(np.unique(rows.qid))
    if data.plan.features:
        kinds = (NUMBER, TEXT, DATE)
        found["kinds"] = {kind: len(data.plan.of_kind(kind)) for kind in kinds}
        found["left_out"] = data.plan.left_out
        found["call"] = getattr(data.source, "call", None)
        found["missing_values"] = int(rows.X.isna().to_numpy().sum())
    return found


def about_model(model: Any, start: str, end: str) -> dict[str, Any]:
    """Return the parameters of a model, and the weights as words."""
    names = ("C", "nu", "kernel", "gamma", "degree", "coef0", "epsilon", "quantile", "ridge")
    known = model.get_params()
    found: dict[str, Any] = {"estimator": type(model).__name__}
    found |= {name: known[name] for name in names if name in known}
    if known["kernel"] != "linear" and hasattr(model, "gamma_"):
        found["gamma"] = float(model.gamma_)
    if known["kernel"] != "poly":
        found.pop("degree", None)
    if known["kernel"] not in ("poly", "sigmoid"):
        found.pop("coef0", None)
    if known["kernel"] == "linear":
        found.pop("gamma", None)
    return found | {"start": start, "end": end}


def about_path(path: SolutionPath, seconds: float | None = None) -> dict[str, Any]:
    """Return the numbers of a path."""
    sizes = path.margin_size()[1]
    found = {
        "status": str(path.status),
        "theta_reached": float(path.theta[-1]),
        "events": int(path.n_events),
        "breakpoints": len(path.theta),
        "margin_mean": float(sizes.mean()),
        "margin_largest": int(sizes.max()),
    }
    if path.parts[0].own_rows.rows_are == "pairs":
        found["pairs"] = len(path.parts[0])
    if path.pairs is not None:
        found["parts"] = len(path.parts)
    return found if seconds is None else found | {"seconds": seconds}


def certificate(path: SolutionPath, hurry: bool = False) -> dict[str, Any] | None:
    """Return violation and gaps, computed from the data; everywhere if that is not too much."""
    end = float(path.theta[-1])
    n_rows = len(path.at(0.0).weights)
    if hurry:
        if n_rows > MOST_IN_HURRY:
            return None
        violation, places = path.kkt_violation(end), 1
    elif len(path) * n_rows <= EVERYWHERE:
        violation, places = path.kkt_violation(), None
    else:
        violation, places = path.kkt_violation(np.linspace(0.0, end, PLACES)), PLACES
    return {
        "kkt_violation": float(violation),
        "places": places,
        "duality_gap_start": float(path.duality_gap(0.0)),
        "duality_gap_end": float(path.duality_gap(end)),
        "objective_start": float(path.at(0.0).objective),
        "objective_end": float(path.at(end).objective),
    }


def about_curve(curve: Curve, source: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the best theta of a curve, and the values at its ends."""
    best = curve.best
    return {
        "metric": curve.metric,
        **parameters,
        "source": source,
        "greater_is_better": bool(curve.greater_is_better),
        "intervals": len(curve),
        "best_theta": float(best.theta),
        "best_value": float(best.value),
        "best_interval": [float(place) for place in best.interval],
        "at_start": float(curve(curve.edges[0])),
        "at_end": float(curve(curve.edges[-1])),
    }


def theta_of_interest(found: dict[str, Any]) -> float:
    """Return the best theta, or without a curve the end of the path."""
    if "chosen" in found:
        return float(found["chosen"]["theta"])
    if "curve" in found:
        return float(found["curve"]["best_theta"])
    return float(found["path"]["theta_reached"])


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
