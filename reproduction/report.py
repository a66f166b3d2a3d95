"""The report: all chapters of what was measured, as one page of HTML and as Markdown.

It is made from the stores of finished cells alone, so that it can be made at any time: of some
experiments, of half of their cells, of a run that was interrupted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.machine import facts
from reproduction.cells import replace_text
from reproduction.chapters.chapter import Chapter, Measured, choose_measured
from reproduction.experiment import NAMES, Options, Plan, module_of, store_of
from reproduction.paper import CLAIMS, SETUP, Claim

__all__ = ["Entry", "NothingToReportError", "Report", "gather", "write_report"]

# How settings read; others are told by the chapters.
SETTINGS = {
    "repetitions": "repetitions: {}",
    "n": "rows: {}",
    "queries": "queries of each part: {}",
    "cap": "rivals stopped after {:g} s",
}
HTML, MARKDOWN, PICTURES = "report.html", "report.md", "pictures"


class NothingToReportError(ValueError):
    """The folder has no finished cell."""


@dataclass(frozen=True)
class Entry:
    """An experiment in the report."""

    name: str
    measured: Measured
    chapter: Chapter

    @property
    def setup(self) -> str:
        return SETUP[self.name]

    @property
    def claims(self) -> tuple[Claim, ...]:
        return CLAIMS[self.name]

    @property
    def run(self) -> str:
        """Say how much of it was run, when, and how."""
        measured = self.measured
        when = sorted(one.made["when"][:16].replace("T", " ") for one in measured.finished)
        text = f"{measured.coverage}, measured from {when[0]} to {when[-1]}"
        if measured.is_quick:
            text += "; a quick run: few cells and few rows, so do not read much into it"
        elsewhere = sorted({one.made.get("processor", "") for one in measured.finished} - {""})
        if len(elsewhere) > 1:
            text += f"; on different processors ({', '.join(elsewhere)})"
        settings = [
            SETTINGS[name].format(value)
            for name, value in measured.settings.items()
            if name in SETTINGS and value is not None
        ]
        text += f"; {', '.join(settings)}." if settings else "."
        if measured.others:
            text += f" {measured.others} more cell(s), of other settings, are in the folder."
        return text


@dataclass(frozen=True)
class Report:
    """What is written: entries in the order of the paper, and what was left out and why."""

    entries: list[Entry]
    left_out: dict[str, str]
    machine: dict[str, str]
    date: str


def gather(options: Options, wanted: Iterable[str], problems: Mapping[str, str]) -> Report:
    """Collect all that is there.

    Parameters
    ----------
    options : Options
        Names the folder, and the settings that are preferred for what was run just now.
    wanted : iterable of str
        What was run just now.
    problems : mapping of str to str
        Why experiments could not be run, by name.
    """
    wanted, entries, left_out = set(wanted), [], {}
    for name in NAMES:
        measured = _measured(name, options, name in wanted)
        if measured is None:
            left_out[name] = problems.get(name, "It was not run.")
        else:
            chapter = import_module(f"{__package__}.chapters.{name.replace('-', '_')}")
            built = chapter.build(measured)
            readings = [line for line in built.readings if line]
            entries.append(Entry(name, measured, replace(built, readings=readings)))
    if not entries:
        raise NothingToReportError(
            f"There is nothing to report in {options.out}: run an experiment first, for instance "
            f"python -m reproduction toy --out {options.out}."
        )
    with threadpool_limits(1):
        machine = facts() | {name: version(name) for name in ("numba", "matplotlib")}
    date = datetime.now().isoformat(sep=" ", timespec="minutes")
    return Report(entries, left_out, machine, date)


def _measured(name: str, options: Options, just_run: bool) -> Measured | None:
    module, folder = module_of(name), options.out / name
    if not folder.is_dir():
        return None
    store = store_of(name, options.out)

    def plan_of(settings: dict) -> Plan | None:
        given = {key: settings[key] for key in ("quick", "repetitions", "cap") if key in settings}
        plan = module.plan(Options(options.out, **given))
        return plan if plan.settings == settings else None

    asked = module.plan(options).settings if just_run else None
    return choose_measured(store, plan_of, folder, asked)


def write_report(
    options: Options, wanted: Iterable[str] = (), problems: Mapping[str, str] | None = None
) -> Path:
    """Write the report into the folder of the results; return the page of HTML.

    Beside it are ``report.md``, the pictures in a folder of their own, and every table as CSV in
    the folder of its experiment.
    """
    from reproduction.page import html_page, markdown_page
    from reproduction.pictures import render

    report = gather(options, wanted, problems or {})
    folder = options.out / PICTURES
    folder.mkdir(exist_ok=True)
    images: dict[str, tuple[bytes, bytes]] = {}
    for entry in report.entries:
        for picture in entry.chapter.pictures:
            images[picture.name] = render(picture), render(picture, dark=True)
            (folder / f"{picture.name}.png").write_bytes(images[picture.name][0])
        for table in entry.chapter.tables:
            replace_text(options.out / entry.name / f"{table.name}.csv", _csv(table.rows))
    replace_text(options.out / MARKDOWN, markdown_page(report, PICTURES))
    replace_text(options.out / HTML, html_page(report, images))
    return options.out / HTML


def _csv(rows: list[dict[str, str]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
