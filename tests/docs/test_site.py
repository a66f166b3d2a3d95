"""The documents build without a warning, and no link inside the site is broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.check_links import broken_links

ROOT = Path(__file__).parents[2]
NEEDED = ["furo", "latex2mathml", "myst_parser", "numpydoc", "sphinx_copybutton", "sphinx_gallery"]

# A script, a style, a picture or a frame that another site would have to deliver.
LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]*stylesheet[^>]* href="http"""
)


def write(folder: Path, **pages: str) -> None:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")


def test_broken_links_are_found(tmp_path):
    write(
        tmp_path,
        one='<a href="two.html#there">x</a> <a href="#here">x</a> <p id="here"></p>',
        two='<p id="there"></p> <a href="https://example.org/x">x</a>',
    )
    assert broken_links(tmp_path) == []


def test_missing_files_and_anchors_are_found(tmp_path):
    write(
        tmp_path,
        one='<a href="two.html#nowhere">x</a>\n<img src="no.png">\n<a href="#no">x</a>',
        two='<a href="../outside.html">x</a> <iframe src="gone.html"></iframe>',
    )
    found = broken_links(tmp_path)
    assert [line.split(": ")[1] for line in found] == [
        "two.html#nowhere", "no.png", "#no", "../outside.html", "gone.html",
    ]  # fmt: skip


@pytest.mark.second_stage
def test_site_builds_without_warnings_and_its_links_hold(tmp_path):
    for module in NEEDED:
        pytest.importorskip(module, reason="needs the extra docs")
    # A copy: Sphinx writes pages of the API and of the gallery beside their sources. Examples are
    # not run here; test_gallery.py does that.
    skipped = shutil.ignore_patterns("generated", "gallery", "__pycache__")
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skipped)
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [*command, "-b", "html", str(tmp_path / "docs"), str(site)],
        capture_output=True,
        text=True,
        env=os.environ | {"MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert broken_links(site) == []

    # What readers need without a network: formulas without a script, the page, the search.
    assert "<math" in (site / "staircase.html").read_text("utf-8")
    assert [
        file.name for file in site.rglob("*.html") if LOADED.search(file.read_text("utf-8"))
    ] == []
    assert (site / "_static" / "stix-two-math.woff").stat().st_size > 100_000
    assert "<iframe" in (site / "index.html").read_text("utf-8")
    assert (site / "moving-page.html").stat().st_size > 100_000
    assert (site / "searchindex.js").exists()
    # Every example can be downloaded as a notebook.
    notebooks = {file.stem for file in site.rglob("*.ipynb")}
    assert notebooks == {file.stem for file in (ROOT / "examples").rglob("*.py")}
