"""The results as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from benchmarks import machine
from benchmarks.contest import wording
from benchmarks.contest.entry import Entry
from benchmarks.contest.growth import Growth, growths
from benchmarks.contest.plan import Plan
from benchmarks.contest.problems import FAMILIES, Family
from benchmarks.threads import one_thread

PACKAGES = (
    "weightpath",
    "numpy",
    "scipy",
    "scikit-learn",
    "scikit-learn-intelex",
    "numba",
    "casadi",
    "daqp",
    "piqp",
    "celer",
)

NOTE = """\
How it is measured. One process, one thread, the time of the processor; weightpath runs in turns
with its rivals, medians. *First solution*: from the data to the solution at the start of the path,
kernel matrix and set-up included; "-" where that is part of the path (the lasso, R's svmpath).
*Whole path*: from there to the end, for weightpath the exact
solution at every place, for its rivals the solutions at all breakpoints of that path, one after the
other. Where a path has more than {n_steps} steps, rivals that go step by step are led along some
stretches of consecutive breakpoints, spread evenly over the path, and the mean of these steps is
scaled up to all of them; the very first step counts once. *more than*: stopped after {cap:g} s; the
steps it did not come to count nothing. Tolerances are the defaults of each. *Times weightpath*:
whole path over whole path.

One judge for everybody, from the data and the coefficients alone, at all breakpoints visited. *KKT
violation*: the largest violation of an optimality condition (the natural residual; in regression
over the largest target, in the lasso over the largest penalty). *Objective excess*: how far the
primal objective is above the lowest that anybody reached at that place, relatively, at worst.
*Growth*: the exponent of n in the time of the whole path, by least squares on the logarithms of
all sizes that were finished."""

COLUMNS = (
    "solver",
    "first solution",
    "whole path",
    "times weightpath",
    "KKT violation",
    "objective excess",
    "growth",
    "note",
)


def cells(entry: Entry, law: Growth | None) -> list[str]:
    """One row of a table for people."""
    return [
        entry.label,
        wording.start_of(entry),
        wording.path_of(entry),
        wording.ratio_of(entry),
        wording.error(entry.violation),
        wording.error(entry.excess),
        wording.exponent(law),
        entry.note,
    ]


def heading(n: int, group: list[Entry]) -> str:
    """The size of a problem, and how much of it was measured."""
    n_steps = group[0].breakpoints - 1
    text = f"n = {n:,}, {group[0].breakpoints:,} breakpoints"
    measured = max((one.steps for one in group if one.how != "path"), default=n_steps)
    if measured < n_steps:
        text += f"; steps of rivals measured: {measured} of {n_steps:,}, scaled up"
    return text


def by_problem(entries: list[Entry]) -> list[tuple[Family, int, list[Entry]]]:
    """The entries of each problem, in order."""
    groups: dict[tuple[str, int], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.family, entry.n), []).append(entry)
    family = {one.name: one for one in FAMILIES}
    return [(family[name], n, group) for (name, n), group in groups.items()]


def write(out: Path, plan: Plan, entries: list[Entry]) -> str:
    """Write ``results.md``, ``results.csv`` and ``results.json``; return the page in Markdown."""
    out.mkdir(parents=True, exist_ok=True)
    with one_thread():
        facts = machine.facts(PACKAGES)
    laws = growths(entries)
    text = markdown(plan, facts, entries, laws)
    (out / "results.md").write_text(text, encoding="utf-8")
    rows = [entry.as_row() for entry in entries]
    with (out / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    everything = {
        "machine": facts,
        "plan": vars(plan),
        "results": rows,
        "growth": [
            {"family": family, "solver": solver, **vars(law)}
            for (family, solver), law in laws.items()
        ],
    }
    (out / "results.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    return text


def markdown(plan: Plan, facts, entries: list[Entry], laws) -> str:
    """The whole page."""
    lines = ["# Whole paths, and what one would use instead", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    lines += ["", NOTE.format(n_steps=plan.n_steps, cap=plan.cap)]
    last = None
    for family, n, group in by_problem(entries):
        if family is not last:
            lines += ["", f"## {family.title}", "", family.note]
            last = family
        lines += ["", f"{heading(n, group)}:", ""]
        lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---:|---:|---:|---:|---:|---:|---|"]
        for entry in group:
            row = cells(entry, laws.get((entry.family, entry.solver)))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    lines += ["", "Pictures: accuracy.png, accuracy beside time; growth.png, of two sizes or more."]
    return "\n".join(lines) + "\n"
