"""The parts of a chapter, and the cells it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.cells import CellStore, Finished
from reproduction.experiment import Plan

__all__ = ["Chapter", "Measured", "Picture", "Table", "choose_measured"]


@dataclass(frozen=True)
class Table:
    """Rows of texts under a caption; all rows have the same columns."""

    name: str
    caption: str
    rows: list[dict[str, str]]
    note: str = ""

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0])


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn on a figure of Matplotlib when it is needed.

    Parameters
    ----------
    name : str
        Of its file.
    caption : str
        What is seen.
    size : tuple of float
        Width and height in inches.
    draw : callable
        Draws on a figure.
    """

    name: str
    caption: str
    size: tuple[float, float]
    draw: Callable


@dataclass(frozen=True)
class Chapter:
    """What the report says of one experiment.

    Parameters
    ----------
    title : str
        Heading.
    ours : list of str
        What was done otherwise than in the paper, and why.
    readings : list of str
        What the numbers say, made from them.
    tables, pictures
        What it is made of.
    """

    title: str
    ours: list[str]
    readings: list[str]
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """The finished cells of one experiment under one set of settings, in the order of the plan."""

    plan: Plan
    finished: list[Finished]
    folder: Path
    others: int = 0

    @property
    def settings(self) -> dict:
        return self.plan.settings

    @property
    def is_quick(self) -> bool:
        return bool(self.settings.get("quick"))

    @property
    def coverage(self) -> str:
        return f"{len(self.finished)} of {len(self.plan.cells)} cells"

    def part(self, name: str) -> list[Finished]:
        """Return the finished cells of one part."""
        return [one for one in self.finished if one.cell.get("part") == name]


def choose_measured(
    store: CellStore, plan_of: Callable[[dict], Plan | None], folder: Path, asked: dict | None
) -> Measured | None:
    """Return what of a store is to be reported: one set of settings, or None if there is none.

    Parameters
    ----------
    store : CellStore
        Cells under whatever settings.
    plan_of : callable
        Gives the plan of which settings are a part, or None if they are those of an earlier
        version of the experiment, which is not reported.
    folder : Path
        Where the experiment has its other files.
    asked : dict or None
        The settings that were just run. They are taken if any of their cells is there; else those
        of a full run before those of a quick one, and those with more cells before others.
    """
    groups: dict[str, list[Finished]] = {}
    for one in store:
        groups.setdefault(_text(one.settings), []).append(one)

    def rank(group: list[Finished]) -> tuple:
        settings = group[0].settings
        return settings == asked, not settings.get("quick"), len(group)

    for group in sorted(groups.values(), key=rank, reverse=True):
        plan = plan_of(group[0].settings)
        if plan is not None:
            found = (store.find(plan.settings, cell) for cell in plan.cells)
            planned = [one for one in found if one is not None]
            if planned:
                return Measured(plan, planned, folder, len(store) - len(planned))
    return None


def _text(settings: dict) -> str:
    return repr(sorted(settings.items()))
