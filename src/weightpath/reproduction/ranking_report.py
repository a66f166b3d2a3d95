"""Tables and pictures of the ranking benchmark, from what ``uses.ranking`` has written."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

mpl.use("Agg")

# The paper's example of an NDCG path.
EXAMPLE = (1, 0.1, 1e-2)


def load(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    paths = pd.read_csv(folder / "ranking.csv")
    rival = folder / "ranking-rival.csv"
    columns = ["fold", "gamma", "C0", "SMO s", "points", "capped"]
    return paths, pd.read_csv(rival) if rival.exists() else pd.DataFrame(columns=columns)


def by_setting(paths: pd.DataFrame, rival: pd.DataFrame) -> str:
    """Means over the folds that were run, and the rival on its folds."""
    lines = [
        "| gamma | C0 | folds | fit s | path s | longest path s | events | mean margin | largest "
        "margin | KKT violation | NDCG curve s | peak MB | SMO at 10 points s |",
        "|" + "---:|" * 13,
    ]
    for (gamma, C0), some in paths.groupby(["gamma", "C0"]):
        other = rival[(rival["gamma"] == gamma) & (rival["C0"] == C0)]
        smo = "not run"
        if len(other):
            more = "more than " if other["capped"].any() else ""
            smo = f"{more}{other['SMO s'].mean():.1f}"
        lines.append(
            f"| {gamma:g} | {C0:g} | {len(some)} | {some['fit s'].mean():.1f} "
            f"| {some['path s'].mean():.1f} | {some['path s'].max():.1f} "
            f"| {some['events'].mean():,.0f} | {some['mean margin'].mean():.1f} "
            f"| {some['largest margin'].max()} | {some['KKT violation'].max():.0e} "
            f"| {some['NDCG curve s'].mean():.1f} | {some['peak MB'].max():,.0f} | {smo} |"
        )
    return "\n".join(lines)


def ndcg_table(paths: pd.DataFrame) -> str:
    """NDCG@10 on the validation parts: at both ends, and at the best place."""
    lines = [
        "| gamma | C0 | folds | NDCG@10, uniform | relevance | best of all | best theta |",
        "|" + "---:|" * 7,
    ]
    for (gamma, C0), some in paths.groupby(["gamma", "C0"]):
        lines.append(
            f"| {gamma:g} | {C0:g} | {len(some)} | {some['NDCG at uniform'].mean():.4f} "
            f"| {some['NDCG at relevance'].mean():.4f} | {some['best NDCG'].mean():.4f} "
            f"| {some['best theta'].mean():.2f} |"
        )
    return "\n".join(lines)


def picture_of_path(folder: Path, file: Path) -> None:
    """Draw NDCG@10 and the margin along theta, as the paper does."""
    fold, gamma, C0 = EXAMPLE
    with np.load(folder / f"path-{fold}-{gamma:g}-{C0:g}.npz") as data:
        figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 5), sharex=True)
        top.stairs(data["values"], data["edges"], baseline=None, color="#1b6ca8")
        bottom.stairs(data["margin"], data["theta"], baseline=None, color="#b3541e")
    top.set_ylabel("NDCG@10, validation")
    top.set_title(f"OHSUMED, fold {fold}: gamma = {gamma:g}, C0 = {C0:g}")
    bottom.set_ylabel("pairs on the margin")
    bottom.set_xlabel("theta: uniform (0) to relevance weights (1)")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    plt.close(figure)


def picture_of_cost(paths: pd.DataFrame, rival: pd.DataFrame, file: Path) -> None:
    """Draw seconds against C0 for each gamma, and time per event against the margin."""
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.4))
    for ax, gamma in zip(axes, sorted(paths["gamma"].unique())[::-1], strict=False):
        for data, column, name in ((paths, "path s", "path"), (rival, "SMO s", "SMO, 10 points")):
            some = data[data["gamma"] == gamma].groupby("C0")[column].mean()
            if len(some):
                ax.loglog(some.index, some.values, "o-", label=name)
        ax.set_title(f"gamma = {gamma:g}")
        ax.set_xlabel("C0")
        ax.legend(fontsize=8)
    axes[0].set_ylabel("seconds")
    long = paths[paths["events"] > 1000]
    work = long["documents"] * (1.0 + long["mean margin"])
    axes[3].loglog(work, 1e6 * long["path s"] / long["events"], ".", color="#444444")
    axes[3].set_xlabel("documents x (1 + mean margin)")
    axes[3].set_ylabel("microseconds an event")
    axes[3].set_title("cost of an event")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what reproduction.ranking has written")
    parser.add_argument("--pictures", type=Path, required=True, help="folder for the pictures")
    options = parser.parse_args()
    paths, rival = load(options.folder)
    picture_of_path(options.folder, options.pictures / "ranking-path.png")
    picture_of_cost(paths, rival, options.pictures / "ranking-cost.png")
    print(by_setting(paths, rival), ndcg_table(paths), sep="\n\n")


if __name__ == "__main__":
    main()
