"""The API page has everything that is public, and nothing else."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

import weightpath

PAGE = Path(__file__).parents[2] / "docs" / "api.rst"
# Modules that users import from, besides those that are names of the package itself.
MODULES = ["applications", "curves", "page", "plotting", "regions"]


def entries() -> list[tuple[str, str]]:
    """Return the module and the name of each entry."""
    found, module = [], ""
    in_table = False
    for line in PAGE.read_text("utf-8").splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        if line and not line.startswith(" "):
            in_table = line.startswith(".. autosummary::")
        elif in_table and re.fullmatch(r"   \w+", line):
            found.append((module, line.strip()))
    return found


def listed() -> list[object]:
    return [getattr(importlib.import_module(module), name) for module, name in entries()]


def public_modules() -> list[str]:
    own = [name for name in weightpath.__all__ if inspect.ismodule(getattr(weightpath, name))]
    return ["weightpath", *(f"weightpath.{name}" for name in sorted({*own, *MODULES}))]


@pytest.mark.parametrize("module", public_modules())
def test_everything_public_is_on_the_page(module):
    names = importlib.import_module(module).__all__
    objects = {name: getattr(importlib.import_module(module), name) for name in names}
    on_page = {id(one) for one in listed()}
    missing = [
        name
        for name, one in objects.items()
        if not inspect.ismodule(one) and id(one) not in on_page
    ]
    assert not missing


def test_entries_are_public_and_documented():
    for module, name in entries():
        home = importlib.import_module(module)
        assert name in home.__all__, f"{module}.{name}"
        assert inspect.getdoc(getattr(home, name)), f"{module}.{name}"


def test_no_entry_stands_twice():
    found = entries()
    assert len(found) == len(set(found))
