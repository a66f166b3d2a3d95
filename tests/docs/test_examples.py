"""Every Python example of the documents runs, from top to bottom of its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if BLOCK.search(page.read_text(encoding="utf-8"))]


def programs(page: Path):
    """Yield the examples of a page, each at its own line so that a traceback points there."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        lines_before = text[: match.start(1)].count("\n")
        yield compile("\n" * lines_before + match.group(1), str(page), "exec")


def with_stage(page: Path):
    """Return a page as a parameter; the one that runs an experiment is for the second stage."""
    marks = pytest.mark.second_stage if page.name == "reproduce.md" else ()
    return pytest.param(page, marks=marks, id=page.name)


@pytest.mark.parametrize("page", [with_stage(page) for page in pages()])
def test_examples_of_page_run(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    # What a page registers is known on this page only.
    monkeypatch.setattr("weightpath.metrics.registry._REGISTERED", {})
    names: dict = {}
    for program in programs(page):
        exec(program, names)
    pyplot.close("all")


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))],
    ids=lambda page: page.name,
)
def test_links_to_files_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)\)", text)
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing
