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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site. Warnings are errors."""
    for module in NEEDED:
        pytest.importorskip(module, reason="needs the extra docs")
    # A copy: Sphinx writes pages of the API and of the gallery beside their sources. Examples are
    # not run here; test_gallery.py does that.
    home = tmp_path_factory.mktemp("checkout")
    skipped = shutil.ignore_patterns("generated", "gallery", "__pycache__")
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, home / folder, ignore=skipped)
    shutil.copy(ROOT / "CHANGELOG.md", home)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [*command, "-b", "html", str(home / "docs"), str(home / "site")],
        capture_output=True,
        text=True,
        env=os.environ | {"MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return home / "site"


@pytest.mark.second_stage
def test_links_hold_and_nothing_comes_from_elsewhere(site):
    assert broken_links(site) == []
    pages = {file.name: file.read_text("utf-8") for file in site.rglob("*.html")}
    assert [name for name, text in pages.items() if LOADED.search(text)] == []
    # Every example can be downloaded as a notebook.
    notebooks = {file.stem for file in site.rglob("*.ipynb")}
    assert notebooks == {file.stem for file in (ROOT / "examples").rglob("*.py")}


@pytest.mark.second_stage
def test_a_browser_without_network_shows_it(site):
    api = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    program = os.environ.get("WEIGHTPATH_BROWSER") or shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_offline(True)
        asked: list[str] = []
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))

        page.goto((site / "index.html").as_uri())
        page.locator("iframe.moving-page").scroll_into_view_if_needed()
        moving = page.frame_locator("iframe.moving-page")
        slider = moving.locator("input[type=range]").first
        slider.focus()
        shown = moving.locator("body").inner_text()
        page.keyboard.press("End")
        api.expect(moving.locator("body")).not_to_have_text(shown)
        assert float(slider.input_value()) == float(slider.get_attribute("max"))

        page.goto((site / "staircase.html").as_uri())
        page.evaluate("document.fonts.ready.then(() => null)")
        fonts = page.evaluate("[...document.fonts].map(font => font.family + ' ' + font.status)")
        assert any("STIX Two Math" in font and "loaded" in font for font in fonts)
        assert page.locator("math").count() > 50

        page.goto((site / "search.html").as_uri() + "?q=forgetting")
        page.locator("ul.search li a").first.wait_for()
        browser.close()
    assert [url for url in asked if url.startswith("http")] == []
