"""Tables and figures of the uses: CSV, Markdown, and the paper's figures."""

from __future__ import annotations

import csv
from pathlib import Path

from weightpath.benchmarks import machine

# Colours of Okabe and Ito; dashed where kernel values are kept.
STYLES = {
    "path": ("#0072B2", "-"),
    "scikit-learn refits": ("#009E73", "-"),
    "warm SMO": ("#D55E00", "-"),
    "path, values kept": ("#0072B2", ":"),
    "warm SMO, values kept": ("#D55E00", ":"),
}


def write_csv(file: Path, rows: list[dict]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_page(file: Path, title: str, sections: list[tuple[str, str, list[dict]]]) -> None:
    """Write sections of a heading, a note and a table."""
    lines = [f"# {title}", ""]
    lines += [f"- {name}: {value}" for name, value in machine.facts().items()]
    for heading, note, rows in sections:
        lines += ["", f"## {heading}", "", note, "", *grid(rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines), flush=True)


def grid(rows: list[dict]) -> list[str]:
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---:|" * len(names)]
    return lines + ["| " + " | ".join(cell(row[name]) for name in names) + " |" for row in rows]


def cell(value) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.2g}" if value != 0 and abs(value) < 1e-3 else f"{value:.4g}"


def cost_figure(file: Path, costs: list[dict], what: str) -> None:
    """Draw seconds against C0, one panel for each gamma, as in the paper.

    ``costs`` has, for each cell, "gamma", "C0" and the timings of all contenders by name.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    gammas = sorted({row["gamma"] for row in costs}, reverse=True)
    names = [name for name in costs[0] if name not in ("gamma", "C0")]
    figure, axes = pyplot.subplots(
        1, len(gammas), figsize=(4 * len(gammas), 3.6), sharey=True, squeeze=False
    )
    for ax, gamma in zip(axes[0], gammas, strict=True):
        rows = sorted((row for row in costs if row["gamma"] == gamma), key=lambda row: row["C0"])
        for name in names:
            colour, dashes = STYLES[name]
            x, y = [row["C0"] for row in rows], [row[name].mean for row in rows]
            ax.plot(x, y, marker="o", ms=4, lw=1.4, color=colour, ls=dashes, label=name)
            stopped = [row for row in rows if row[name].capped]
            x = [row["C0"] for row in stopped]
            y = [1.4 * row[name].mean for row in stopped]
            ax.plot(x, y, ls="", marker=r"$\uparrow$", ms=9, color=colour)
        decorate(ax, rf"$\gamma$ = {gamma:g}")
        ax.set_yscale("log")
    axes[0, 0].set_ylabel(what)
    axes[0, 0].legend(frameon=False, fontsize=8)
    save(figure, file)


def line_figure(file: Path, rows: list[dict], column: str) -> None:
    """Draw a column against C0, one panel for each gamma."""
    from matplotlib import pyplot

    gammas = sorted({row["gamma"] for row in rows}, reverse=True)
    figure, axes = pyplot.subplots(
        1, len(gammas), figsize=(4 * len(gammas), 3.2), sharey=True, squeeze=False
    )
    for ax, gamma in zip(axes[0], gammas, strict=True):
        own = sorted((row for row in rows if row["gamma"] == gamma), key=lambda row: row["C0"])
        ax.plot([row["C0"] for row in own], [row[column] for row in own], "o-", ms=5, lw=1.4)
        decorate(ax, rf"$\gamma$ = {gamma:g}")
        ax.set_ylim(bottom=0)
    axes[0, 0].set_ylabel(column)
    save(figure, file)


def decorate(ax, title: str) -> None:
    ax.set_xscale("log")
    ax.set_xlabel("$C_0$")
    ax.set_title(title)
    ax.grid(alpha=0.3)


def save(figure, file: Path) -> None:
    from matplotlib import pyplot

    figure.tight_layout()
    figure.savefig(file, dpi=150)
    pyplot.close(figure)
