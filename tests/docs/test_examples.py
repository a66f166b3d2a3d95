"""Every Python example of the documents runs, from top to bottom of its page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tools.doc_outputs import BLOCK, run

ROOT = Path(__file__).parents[2]
# The page that runs an experiment, and the one that starts a cluster.
SECOND_STAGE = {"cluster.md", "reproduce.md"}


def pages() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if BLOCK.search(page.read_text(encoding="utf-8"))]


def with_stage(page: Path):
    """Return a page as a parameter, marked where it is for the second stage."""
    marks = pytest.mark.second_stage if page.name in SECOND_STAGE else ()
    return pytest.param(page, marks=marks, id=page.name)


@pytest.mark.parametrize("page", [with_stage(page) for page in pages()])
def test_examples_of_page_run(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    # What a page registers is known on this page only.
    monkeypatch.setattr("weightpath.metrics.registry._REGISTERED", {})
    for block, printed in run(page, page.read_text(encoding="utf-8")):
        # A text block that follows at once is the output: tools/doc_outputs.py writes it.
        assert block[2] in (None, printed)
    pyplot.close("all")


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))],
    ids=lambda page: page.name,
)
def test_links_to_files_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)\)", text)
    missing = [link for link in links if "://" not in link and not leads_somewhere(page, link)]
    assert not missing


def leads_somewhere(page: Path, link: str) -> bool:
    if link.startswith("gallery/"):  # made from examples/ when the site is built
        example = ROOT / "examples" / link.removeprefix("gallery/")
        return example.with_suffix(".py").exists() or link == "gallery/index"
    return (page.parent / link).exists()


# Blocks that need real data, a cluster or another package: not run with the page.
APART = re.compile(r"^```\{code-block\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REAL_DATA = {
    "datasets.md": ("nasdaq", "ohsumed", "bci"),
    "heteroscedastic.md": ("boston",),
    "online.md": ("nasdaq",),
}


def apart(page: Path) -> list:
    found = APART.findall(page.read_text("utf-8"))
    return [compile(text, f"{page.name}, block {k}", "exec") for k, text in enumerate(found)]


def test_examples_that_stand_apart_are_python():
    counts = {page.name: len(apart(page)) for page in pages()}
    assert REAL_DATA.keys() <= {name for name, count in counts.items() if count}


@pytest.mark.second_stage
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.data(*data)) for name, data in REAL_DATA.items()]
)
def test_examples_on_real_data_run(name, data_home, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEIGHTPATH_DATA", str(data_home))
    page = ROOT / "docs" / name
    names: dict = {}
    for match in BLOCK.finditer(page.read_text("utf-8")):
        exec(match[1], names)
    for program in apart(page):
        exec(program, names)


def test_parquet_in_blocks(tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 70_000
    table = {
        "height": rng.normal(size=n),
        "count": rng.integers(0, 9, n).astype(np.int16),
        "label": np.where(rng.random(n) < 0.5, 1, -1),
        "share": rng.random(n).astype(np.float32),
    }
    table["label"][table["height"] > 0.5] = 1
    pq.write_table(pa.table(table), "rows.parquet", row_group_size=40_000)
    (program,) = apart(ROOT / "docs" / "how-large.md")
    names: dict = {}
    exec(program, names)
    right = np.column_stack([table[name] for name in ("height", "count", "share")])
    np.testing.assert_array_equal(np.load("X.npy"), right.astype(np.float32))
    np.testing.assert_array_equal(names["y"], table["label"])
    model = names["model"]
    assert isinstance(names["mapped"], np.memmap)
    assert np.shares_memory(model.training_set_.X, names["mapped"])
    assert model.kkt_violation() < 1e-9
