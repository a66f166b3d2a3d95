"""Draw the picture of docs/conformal.md.

python tools/conformal_pictures.py docs/images
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import weightpath as wp
from weightpath.conformal import ConditionalConformal, FullConformal, JackknifePlus
from weightpath.plotting.theme import ACCENT, COLOURS, MAIN, tidy

matplotlib.use("Agg")

from matplotlib import pyplot


def rows(n: int, seed: int):
    """Return one feature and a target whose noise grows with it."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n, 1))
    return X, np.sin(2 * X[:, 0]) + (0.1 + 0.25 * (X[:, 0] + 2)) * random.normal(size=n)


def draw_conditional(ax) -> None:
    """Draw split conformal intervals of one width, and those whose cutoffs see the feature."""
    X, y = rows(600, 0)
    grid = np.linspace(-2, 2, 161)[:, None]
    model = wp.SVR(C=1.0, gamma=1.0).fit(X[:200], y[:200])
    scores = np.abs(y[200:] - model.predict(X[200:]))
    cutoff = ConditionalConformal("rbf", 1.0, 1.0, 0.1).fit(X[200:], scores).cutoff(grid)
    one = np.sort(scores)[int(np.ceil(0.9 * 401)) - 1]
    middle = model.predict(grid)
    ax.plot(X[200:], y[200:], ".", ms=2.5, color="0.6")
    ax.fill_between(
        grid[:, 0], middle - cutoff, middle + cutoff, color=MAIN, alpha=0.3, label="conditional"
    )
    for side in (-1, 1):
        label = "one cutoff for all" if side < 0 else None
        ax.plot(grid, middle + side * one, color=ACCENT, lw=1.4, label=label)
    ax.set_title("Cutoffs that see the feature", fontsize=10)


def draw_full(ax) -> None:
    """Draw full conformal and jackknife+ intervals from few rows."""
    X, y = rows(60, 1)
    grid = np.linspace(-2, 2, 161)[:, None]
    estimator = wp.SVR(C=1.0, gamma=1.0, epsilon=0.1)
    low, high = FullConformal(estimator, 0.1).fit(X, y).predict_interval(grid).T
    ax.plot(X, y, ".", ms=4, color="0.5")
    ax.fill_between(grid[:, 0], low, high, color=COLOURS[2], alpha=0.3, label="full conformal")
    ends = JackknifePlus(estimator, 0.1).fit(X, y).predict_interval(grid).T
    for end, label in zip(ends, ("jackknife+", None), strict=True):
        ax.plot(grid, end, color=ACCENT, lw=1.4, label=label)
    ax.set_title("60 rows, none set aside", fontsize=10)


def main() -> None:
    """Draw both panels into one file of the folder that is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    _, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for ax, draw in zip(axes, (draw_conditional, draw_full), strict=True):
        draw(ax)
        ax.set_xlabel("feature")
        ax.legend(frameon=False, loc="upper left", fontsize=9)
        tidy(ax)
    axes[0].set_ylabel("target, and 90 % intervals")
    pyplot.savefig(folder / "conformal.png", dpi=110)


if __name__ == "__main__":
    main()
