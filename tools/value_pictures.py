"""The pictures of docs/data-values.md and docs/selective-inference.md; they need matplotlib.

Run ``python tools/value_pictures.py``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import weightpath as wp
from weightpath import inference

matplotlib.use("Agg")
from matplotlib import pyplot

IMAGES = Path(__file__).parents[1] / "docs" / "images"
BLUE, RED, GREY = "#0072b2", "#d55e00", "#7f7f7f"


def tidy(ax) -> None:
    """Make axes light."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)


def data_values() -> None:
    """Values of rows some of which have a wrong label, and what removing the worst ones does."""
    train = wp.datasets.make_toy(120, random_state=0)
    new = wp.datasets.make_toy(400, random_state=1, like=train)
    test = wp.datasets.make_toy(1000, random_state=2, like=train)
    y, wrong = train.y.copy(), np.random.default_rng(0).permutation(120)[:18]
    y[wrong] *= -1
    model = wp.SVC(C=10, gamma=5.0)
    found = wp.data_shapley(model, train.X, y, new.X, new.y, "accuracy", 300, random_state=0)
    _, (left, right) = pyplot.subplots(
        1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(1.5, 1)
    )
    order = found.order
    is_wrong = np.isin(order, wrong)
    rank = np.arange(1, 121)
    for own, colour, label in ((~is_wrong, BLUE, "right label"), (is_wrong, RED, "wrong label")):
        left.bar(rank[own], found.values[order][own], color=colour, width=0.9, label=label)
    errors = 2 * found.standard_errors[order]
    middle = found.values[order]
    left.vlines(rank, middle - errors, middle + errors, color=GREY, lw=0.7)
    left.set_xlabel("rows, from the most helpful to the most harmful")
    left.set_ylabel("Shapley value: accuracy")
    left.legend(frameon=False)
    right.plot(*removed(model, train.X, y, test, found.order[::-1]), color=RED, label="worst first")
    some = np.random.default_rng(1).permutation(120)
    right.plot(*removed(model, train.X, y, test, some), color=GREY, label="at random")
    right.set_xlabel("rows removed")
    right.set_ylabel("accuracy at test rows")
    right.legend(frameon=False)
    for ax in (left, right):
        tidy(ax)
    pyplot.savefig(IMAGES / "data-values.png", dpi=110)


def removed(model, X, y, new, order) -> tuple[list[int], list[float]]:
    """Return the accuracy when rows leave in an order, five at a time."""
    fitted = wp.SVC(**model.get_params()).fit(X, y)
    number, counts, scores = np.arange(len(y)), [0], [fitted.score(new.X, new.y)]
    for first in range(0, 60, 5):
        gone = order[first : first + 5]
        fitted.remove(np.flatnonzero(np.isin(number, gone)))
        number = number[~np.isin(number, gone)]
        counts.append(first + 5)
        scores.append(fitted.score(new.X, new.y))
    return counts, scores


def selective() -> None:
    """The density of one estimate given the selection, and intervals with and without it."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 10)) + 0.5 * rng.normal(size=(100, 1))
    y = X[:, :2] @ [0.6, 0.4] + rng.normal(size=100)
    lasso = wp.Lasso(alpha=0.12).fit(X, y)
    found = inference.selective(lasso, 1.0)
    # The feature with the most pieces that are near.
    k = int(
        np.argmax(
            [
                np.sum(np.abs(one) < 4 * s)
                for one, s in zip(found.truncation, found.standard_errors, strict=True)
            ]
        )
    )
    _, (left, right) = pyplot.subplots(
        1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(1.2, 1)
    )
    scale = found.standard_errors[k]
    z = np.linspace(-4 * scale, 4 * scale, 800)
    density = np.exp(-0.5 * (z / scale) ** 2)
    left.plot(z / scale, density, color=GREY, lw=1, ls="--", label="before selection")
    for number, (low, high) in enumerate(found.truncation[k]):
        own = (z >= low) & (z <= high)
        label = "given the selected set" if number == 0 else None
        left.fill_between(z[own] / scale, density[own], color=BLUE, alpha=0.45, lw=0, label=label)
    left.axvline(found.estimates[k] / scale, color=RED, lw=1.4, label="estimate")
    left.set_xlabel(f"estimate of feature {found.features[k]}, in standard errors")
    left.set_ylabel("density under the null (not scaled)")
    left.set_yticks([])
    left.legend(frameon=False, fontsize=8)
    place = np.arange(len(found))
    half = 1.96 * found.standard_errors
    right.errorbar(
        found.estimates,
        place + 0.12,
        xerr=half,
        fmt="o",
        color=GREY,
        ms=4,
        label="as if not selected",
    )
    ends = np.clip(found.intervals, -0.6, 1.0)
    right.hlines(
        place - 0.12, ends[:, 0], ends[:, 1], color=BLUE, lw=2, label="given the selected set"
    )
    right.plot(found.estimates, place - 0.12, "o", color=BLUE, ms=4)
    right.axvline(0.0, color="grey", lw=0.8)
    right.set_yticks(place, [f"feature {j}" for j in found.features])
    right.set_xlim(-0.6, 1.0)
    right.set_xlabel("95 % interval of the coefficient")
    right.legend(frameon=False, fontsize=8, loc="center right")
    for ax in (left, right):
        tidy(ax)
    pyplot.savefig(IMAGES / "selective-inference.png", dpi=110)


if __name__ == "__main__":
    data_values()
    selective()
