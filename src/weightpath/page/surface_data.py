"""A metric over a plane as the script of a page reads it.

The script computes the metric from decision values, by one of a few formulas: of the confusion
matrix, of hinges, of squares, or of the order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics import get
from weightpath.metrics.gains import CONVENTIONS
from weightpath.metrics.plane import PlaneCounts, PlaneHinges, PlaneSquares
from weightpath.page.packing import packed

__all__ = ["RESOLUTION", "surface_data"]

Floats = NDArray[np.float64]

# Points along each side of the picture of a metric.
RESOLUTION = 144

# Functions of the confusion matrix and of the order that the script knows.
COUNTS = (
    "zero_one", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews", "cost",
    "demographic_parity", "equal_opportunity",
)  # fmt: skip
ORDERS = ("auc", "average_precision", "ndcg", "precision_at_k")


def surface_data(surface: Any, resolution: int = RESOLUTION) -> dict[str, Any]:
    """Return the formula of a metric, its picture, and where it is best.

    Raises
    ------
    ValueError
        If the script has no formula of the metric.
    """
    formula, picture = _formula(surface), surface.sampled(resolution)
    low, high = float(picture.min()), float(picture.max())
    share = (picture - low) / (high - low) if high > low else np.zeros_like(picture)
    return {
        "metric": surface.metric.name,
        "label": surface.metric.label or surface.metric.name,
        "greaterIsBetter": bool(surface.metric.greater_is_better),
        "formula": formula,
        "picture": packed(np.rint(255 * share).astype(np.int64)),
        "resolution": resolution,
        "range": [low, high],
        "best": _best(surface),
        "rows": None,
    }


def _best(surface: Any) -> dict[str, Any] | None:
    """Return where a metric is best; nothing where a map does not cover its plane."""
    if surface.region_map.status != "complete":
        return None
    best = surface.best
    return {
        "value": float(best.value),
        "z": np.asarray(best.z).tolist(),
        "polygon": np.asarray(best.polygon).tolist(),
        "region": int(best.region),
    }


def _formula(surface: Any) -> dict[str, Any]:
    metric, rows, options = surface.metric, surface.rows, surface.options
    form = metric.in_plane(rows, **options)
    if isinstance(form, PlaneHinges):
        return {"is": "hinges", "hinges": [_hinge(one, len(rows)) for one in form.hinges]}
    if isinstance(form, PlaneSquares):
        target, share = (np.asarray(one, dtype=float) for one in (form.target, form.share))
        return {"is": "squares", "target": packed(target), "share": packed(share)}
    # A user's metric may have the name of a known one.
    if metric.name not in (*COUNTS, *ORDERS) or type(get(metric.name)) is not type(metric):
        known = ", ".join((*COUNTS, *ORDERS))
        raise ValueError(
            f"A page computes its metric in the browser, and has no formula of {metric.name!r}. "
            f"It knows {known}, and all sums of hinges or squares; give a surface of one of these."
        )
    if isinstance(form, PlaneCounts):
        return _counts(metric.name, rows, options)
    return _order(metric, rows, options)


def _hinge(hinge: Any, n: int) -> dict[str, Any]:
    full = (np.broadcast_to(np.asarray(one, dtype=float), n) for one in _parts(hinge))
    return dict(zip(("factor", "offset", "share"), map(packed, full), strict=True))


def _parts(hinge: Any) -> tuple[Any, Any, Any]:
    return hinge.factor, hinge.offset, hinge.share


def _counts(name: str, rows: Any, options: Any) -> dict[str, Any]:
    found = {
        "is": "counts",
        "name": name,
        "true": packed(np.asarray(rows.target, dtype=np.intp)),
        "weight": packed(np.asarray(rows.weight, dtype=float)),
    }
    if "cost_matrix" in options:
        found["cost"] = np.asarray(options["cost_matrix"], dtype=float).tolist()
    if "groups" in options:
        found["group"] = packed(np.asarray(options["groups"]))
    return found


def _order(metric: Any, rows: Any, options: Any) -> dict[str, Any]:
    qid = np.asarray(options["qid"])
    found = {
        "is": "order",
        "name": metric.name,
        "weight": packed(np.asarray(rows.weight, dtype=float)),
        "relevant": packed((np.asarray(rows.target) > 0).astype(np.intp)),
        "query": packed(qid),
        "share": packed(np.asarray(metric.shares(rows, qid), dtype=float)),
    }
    if metric.name in ("ndcg", "precision_at_k"):
        found |= _discounted(metric.name, rows, qid, options)
    return found


def _discounted(name: str, rows: Any, qid: Any, options: Any) -> dict[str, Any]:
    """Return gains of rows, discounts of ranks, and what the sums of queries are divided by."""
    size, k = np.bincount(qid), options["k"]
    longest = int(size.max())
    if name == "precision_at_k":
        gain, discount = (np.asarray(rows.target) > 0).astype(float), np.ones(longest)
    else:
        rule = CONVENTIONS[options["convention"]]
        gain = rule.gain(np.asarray(rows.target, dtype=float))
        discount = rule.discount(np.arange(1.0, longest + 1.0))
    if k is not None:
        discount = np.where(np.arange(longest) < k, discount, 0.0)
    own = [np.sort(gain[qid == q])[::-1] for q in range(len(size))]
    if name == "precision_at_k":
        norm = np.array([discount[: len(one)].sum() for one in own])
    else:
        norm = np.array([one @ discount[: len(one)] for one in own])
    return {"gain": packed(gain), "discount": packed(discount), "norm": packed(norm)}
