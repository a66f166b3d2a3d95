"""Names of other projects that the documents link to are in docs/_inventories, and exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = sorted((ROOT / "docs" / "_inventories").glob("*.txt"))
PROJECTS = "|".join(file.stem for file in LISTS)
ROLE = re.compile(rf"(?::\w+:|\{{\w+\}})`[^`<]*?~?<?((?:{PROJECTS})(?:\.\w+)+)>?`")


def listed(file: Path) -> list[str]:
    return [line.split()[1] for line in file.read_text("utf-8").splitlines()[1:]]


def found(name: str):
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except AttributeError:
        return importlib.import_module(name)


def test_every_name_that_is_linked_to_is_listed():
    known = {name for file in LISTS for name in listed(file)}
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")]
    sources += (ROOT / "src").rglob("*.py")
    linked = {
        name: source.name for source in sources for name in ROLE.findall(source.read_text("utf-8"))
    }
    assert len(linked) > 10
    assert {name: source for name, source in linked.items() if name not in known} == {}


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_every_name_that_is_listed_exists(file):
    pytest.importorskip(file.stem)
    for name in listed(file):
        assert found(name) is not None
