"""Count what one call takes: Python calls, functions, files, and layer borders crossed.

Run it with an installed package: ``make walk``, or ``python tools/walk.py --calls reweight`` to
list every function of one walk with its calls.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import weightpath as wp

PACKAGE = Path(wp.__file__).parent
REPEATS = 50


@dataclass
class Walk:
    """The calls into the package that one statement makes.

    Attributes
    ----------
    calls : Counter
        How often each function was entered, by (file, qualified name).
    borders : Counter
        How often a function of one layer called one of another, by (from, to).
    """

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    borders: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def files(self) -> set[str]:
        """The files that were entered."""
        return {file for file, _ in self.calls}

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count one call; what ``sys.setprofile`` calls."""
        file = file_of(frame)
        if event != "call" or file is None:
            return
        self.calls[file, frame.f_code.co_qualname] += 1
        caller = frame.f_back
        while caller is not None and file_of(caller) is None:
            caller = caller.f_back
        there, here = layer_of(file), "" if caller is None else layer_of(file_of(caller) or "")
        if here and here != there:
            self.borders[here, there] += 1


def file_of(frame: FrameType) -> str | None:
    """Return the file of a frame, relative to the package; ``None`` if it is another's."""
    path = Path(frame.f_code.co_filename)
    # A comprehension or a lambda belongs to the function around it.
    if frame.f_code.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<module>"):
        return None
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else None


def layer_of(file: str) -> str:
    """Return the layer of a file: its folder, or its own name beside them."""
    return file.partition("/")[0].removesuffix(".py")


def walk(action: Callable[[], object]) -> Walk:
    """Return what one call of ``action`` takes."""
    found = Walk()
    sys.setprofile(found.note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return found


def milliseconds(prepare: Callable[[], Callable[[], object]]) -> float:
    """Return the least time of an action, prepared anew each time: other work only adds to it."""
    times = []
    for _ in range(REPEATS):
        action = prepare()
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def walks() -> dict[str, Callable[[], Callable[[], object]]]:
    """Return the actions by name, each with what prepares it."""
    toy = wp.datasets.make_toy(40, random_state=0)
    new = wp.datasets.make_toy(32, random_state=1, like=toy)
    weight = 0.5 + 0.5 * toy.cost / toy.cost.max()

    def fitted() -> wp.SVC:
        return wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)

    def path() -> wp.SolutionPath:
        return fitted().reweight(weight)

    def fit() -> Callable[[], object]:
        return fitted

    def reweight() -> Callable[[], object]:
        model = fitted()
        return lambda: model.reweight(weight)

    def curve() -> Callable[[], object]:
        traced = path()
        return lambda: traced.curve(new.X, new.y, "zero_one")

    def model_at() -> Callable[[], object]:
        traced = path()
        return lambda: traced.model_at(0.37)

    def add() -> Callable[[], object]:
        model = fitted()
        return lambda: model.add(new.X[:1], new.y[:1])

    return {"fit": fit, "reweight": reweight, "curve": curve, "model_at": model_at, "add": add}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", metavar="WALK", help="list the functions of this walk")
    chosen = parser.parse_args().calls
    actions = walks()
    for prepare in actions.values():
        prepare()()  # what is imported late, or cached, belongs to no walk
    if chosen:
        found = walk(actions[chosen]())
        for (file, name), count in sorted(found.calls.items()):
            print(f"{count:5}  {file}: {name}")
        for (here, there), count in sorted(found.borders.items()):
            print(f"{count:5}  {here} -> {there}")
        return
    print(f"{'walk':<10}{'calls':>8}{'functions':>11}{'files':>7}{'borders':>9}{'ms':>9}")
    for name, prepare in actions.items():
        found = walk(prepare())
        crossed = found.borders.total()
        print(
            f"{name:<10}{found.calls.total():>8}{len(found.calls):>11}{len(found.files):>7}"
            f"{crossed:>9}{milliseconds(prepare):>9.2f}"
        )


if __name__ == "__main__":
    main()
