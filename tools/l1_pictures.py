"""The pictures of docs/l1-machines.md: ``python tools/l1_pictures.py``; they need matplotlib."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import weightpath as wp

matplotlib.use("Agg")
from matplotlib import pyplot

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#332288")


def tidy(ax) -> None:
    """Make axes light."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


def features() -> None:
    """Coefficients of features along C, their number, and the exact validation error."""
    data = load_breast_cancer()
    X, X_val, y, y_val = train_test_split(data.data, data.target, train_size=300, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_val = scaler.transform(X), scaler.transform(X_val)
    path = wp.L1SVC(C=0.005).fit(X, y).path_to(C=0.5)
    curve = path.curve(X_val, y_val, "zero_one")
    edges = np.repeat(path.theta, 2)[1:-1]
    C = 0.005 + 0.495 * edges
    sides = ["right", "left"] * len(path)
    coef = np.array([path.at(float(t), side).coef for t, side in zip(edges, sides, strict=True)])
    most = np.argsort(-np.abs(coef).max(axis=0))[: len(COLOURS)]
    _, axes = pyplot.subplots(
        3, sharex=True, figsize=(8, 7.2), layout="constrained", height_ratios=(3, 1.2, 1.4)
    )
    for j, colour in zip(most, COLOURS, strict=True):
        axes[0].plot(C, coef[:, j], color=colour, lw=1.4, label=data.feature_names[j])
    axes[0].axhline(0.0, color="grey", lw=0.8, zorder=0)
    axes[0].set_ylabel("coefficient")
    axes[0].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    _, counts = path.coefficient_count()
    axes[1].stairs(counts, 0.005 + 0.495 * path.theta, baseline=None, color="#0072b2")
    axes[1].set_ylabel("coefficients\nnot zero")
    axes[1].set_ylim(bottom=0)
    axes[2].stairs(
        curve.values, 0.005 + 0.495 * curve.edges, baseline=None, color="#d55e00", lw=1.4
    )
    best = 0.005 + 0.495 * np.array(curve.best.interval)
    axes[2].axvspan(*best, color="#d55e00", alpha=0.2, lw=0)
    axes[2].set_ylabel("validation error")
    axes[2].set_ylim(bottom=0)
    axes[2].set_xlabel("$C$  (log scale)")
    axes[2].set_xscale("log")
    axes[2].set_xlim(0.005, 0.5)
    for ax in axes:
        tidy(ax)
    pyplot.savefig(IMAGES / "l1-features.png", dpi=110)


def kernels() -> None:
    """A regression in kernel columns whose weights move from the left half to the right one."""
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 10, 150))
    y = np.where(x < 5, np.sin(2 * x), 0.3 * x - 1.5) + 0.15 * random.normal(size=150)
    left = np.where(x < 5, 1.0, 0.03)
    model = wp.L1SVR(C=1.0, kernel="rbf", gamma=1.0, epsilon=0.15)
    path = model.fit(x[:, None], y, left).path_to(sample_weight=left[::-1])
    grid = np.linspace(0, 10, 400)
    _, axes = pyplot.subplots(
        1, 3, sharex=True, sharey=True, figsize=(9.5, 3.1), layout="constrained"
    )
    for ax, theta in zip(axes, (0.0, 0.5, 1.0), strict=True):
        there = path.model_at(theta)
        value = there.predict(grid[:, None])
        ax.scatter(x, y, s=2 + 22 * there.weights_, color="#9a9a9a", lw=0, alpha=0.7)
        ax.fill_between(grid, value - 0.15, value + 0.15, color="#0072b2", alpha=0.15, lw=0)
        ax.plot(grid, value, color="#0072b2", lw=1.8)
        used = x[there.support_]
        ax.plot(used, np.full(used.size, -2.05), "|", color="#d55e00", ms=9, mew=1.8)
        ax.set_title(f"θ = {theta:g}: {used.size} kernels", fontsize=10)
        ax.set_xlabel("x")
        tidy(ax)
    axes[0].set_ylim(-2.2, 2.0)
    pyplot.savefig(IMAGES / "l1-kernels.png", dpi=110)


if __name__ == "__main__":
    features()
    kernels()
