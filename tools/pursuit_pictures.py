"""Draw the pictures of docs/basis-pursuit.md.

python tools/pursuit_pictures.py docs/images
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import weightpath as wp
from weightpath.plotting.theme import ACCENT, MAIN, line_styles, tidy

matplotlib.use("Agg")

from matplotlib import pyplot

# Features, those in use, trials, and rounds of reweighting.
FEATURES, USED, TRIALS, ROUNDS = 100, 14, 100, 4
MEASUREMENTS = np.arange(24, 61, 3)


def measured(seed: int, m: int, n: int = FEATURES, k: int = USED):
    """Return a sensing matrix and a sparse signal."""
    random = np.random.default_rng(seed)
    signal = np.zeros(n)
    signal[random.choice(n, k, replace=False)] = random.normal(size=k)
    return random.normal(size=(m, n)), signal


def draw_recovery(file: Path) -> None:
    """Draw how often a signal is found again, by plain and by reweighted pursuit."""
    found = np.zeros((2, MEASUREMENTS.size))
    for at, m in enumerate(MEASUREMENTS):
        for seed in range(TRIALS):
            Phi, signal = measured(seed, int(m))
            model = wp.BasisPursuit().fit(Phi, Phi @ signal)
            found[0, at] += np.allclose(model.coef_, signal, atol=1e-6)
            model.reweighted_l1(ROUNDS, epsilon=0.1)
            found[1, at] += np.allclose(model.coef_, signal, atol=1e-6)
    _, ax = pyplot.subplots(figsize=(7, 3.8), layout="constrained")
    names = ("equal weights", f"reweighted, {ROUNDS} rounds")
    for share, name, colour, mark in zip(found / TRIALS, names, (MAIN, ACCENT), "os", strict=True):
        ax.plot(MEASUREMENTS, share, marker=mark, ms=5, lw=1.8, color=colour, label=name)
    ax.set_xlabel(f"measurements of a signal with {USED} of {FEATURES} coefficients")
    ax.set_ylabel(f"found exactly, of {TRIALS}")
    ax.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
    ax.legend(frameon=False, loc="lower right")
    tidy(ax)
    pyplot.savefig(file, dpi=110)


def draw_path(file: Path) -> None:
    """Draw the path of the example: coefficients that jump, and the least cost."""
    random = np.random.default_rng(5)
    Phi, y = random.normal(size=(6, 14)), random.normal(size=6)
    model = wp.BasisPursuit().fit(Phi, y)
    path = model.reweight(random.uniform(0.2, 2.5, 14))
    path.plot().figure_.savefig(file, dpi=110)


def draw_limit(file: Path) -> None:
    """Draw the last part of a lasso path, which ends at basis pursuit."""
    random = np.random.default_rng(5)
    Phi, y = random.normal(size=(6, 14)), random.normal(size=6)
    start = 0.3
    path = wp.Lasso(start, fit_intercept=False).fit(Phi, y).move(alpha=0.0)
    pursuit = wp.BasisPursuit().fit(Phi, y).coef_
    coef = np.array([path.at(theta).dual_coef for theta in path.theta])
    _, ax = pyplot.subplots(figsize=(7, 3.8), layout="constrained")
    shown = np.flatnonzero(np.abs(coef).max(axis=0) > 0)
    for j, (colour, dash) in zip(shown, line_styles(shown.size), strict=True):
        ax.plot(start * (1 - path.theta), coef[:, j], color=colour, ls=dash, lw=1.6)
    used = np.flatnonzero(pursuit)
    where = np.zeros(used.size)
    ink = {"facecolor": "white", "edgecolor": "#1b1f24", "zorder": 5, "clip_on": False}
    ax.scatter(where, pursuit[used], s=34, label="basis pursuit", **ink)
    ax.axhline(0.0, color="grey", lw=0.8, zorder=0)
    ax.set_xlim(start, 0)
    ax.set_xlabel("alpha, falling to zero")
    ax.set_ylabel("coefficient")
    ax.legend(frameon=False, loc="lower left")
    tidy(ax)
    pyplot.savefig(file, dpi=110)


def main() -> None:
    """Draw all pictures into the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    draw_recovery(folder / "pursuit-recovery.png")
    draw_path(folder / "pursuit-path.png")
    draw_limit(folder / "pursuit-limit.png")


if __name__ == "__main__":
    main()
