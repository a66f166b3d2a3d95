"""Measure pages in Chromium: python tools/page_measures.py (needs Chromium; takes some minutes).

For a few paths and maps: the size of the page and of its script, and the time that the script takes
for a frame while the slider, or the point in the plane, is dragged by the mouse: by the clock, and
as processor time, which tells more on a busy machine.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.datasets import make_classification

import weightpath as wp
from weightpath.page.script_text import page_script, style

MOVES = 120


def toy_path(file: Path) -> str:
    """Toy data, n = 2,000: margins of about four rows."""
    toy = wp.datasets.make_toy(2000, random_state=0)
    new = wp.datasets.make_toy(1000, random_state=1, like=toy)
    path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)
    path.to_html(file, path.curve(new.X, new.y, "zero_one"), new.X, new.y)
    return f"toy, n=2000, {len(path)} segments, margins of {margins(path):.0f}"


def large_margins(file: Path) -> str:
    """make_classification, n = 5,000: all weights move, margins of about 480 rows."""
    X, y = make_classification(5000, 20, n_informative=8, flip_y=0.1, random_state=0)
    weight = np.random.default_rng(0).uniform(0.0, 2.0, 5000)
    path = wp.SVC(C=1).fit(X, y).reweight(weight)
    path.to_html(file, path.curve(X[:1000], y[:1000], "zero_one"), X[:1000], y[:1000])
    return f"make_classification, n=5000, {len(path)} segments, margins of {margins(path):.0f}"


def small_map(file: Path) -> str:
    """The map of docs/region-maps.md."""
    return _map(file, 60)


def large_map(file: Path) -> str:
    """The same with 400 training rows."""
    return _map(file, 400)


def _map(file: Path, n: int) -> str:
    train = wp.datasets.make_toy(n, random_state=0)
    new = wp.datasets.make_toy(400, random_state=1, like=train)
    model = wp.SVC(C=0.1, gamma=0.5).fit(train.X, train.y)
    plane = wp.region_map(model, [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}])
    plane.to_html(file, plane.surface(new.X, new.y, "zero_one"))
    return f"map, n={n}, {len(plane)} regions"


def margins(path: Any) -> float:
    """The mean size of the margin over the segments."""
    record = path.parts[0].record
    return len(record.member) / len(record)


def frames(page: Any) -> np.ndarray:
    """Drag the slider or the point; return the script's time for each frame, in milliseconds."""
    page.evaluate(
        """() => { window.times = []; let seen = -1;
            const look = () => { const {count, last, moving} = window.weightpath.frame;
                if (count !== seen && moving) window.times.push(last);
                seen = count; requestAnimationFrame(look); };
            requestAnimationFrame(look); }"""
    )
    isMap = page.locator(".wp-plane").count() > 0
    box = page.locator(".wp-plane" if isMap else ".wp-slider").first.bounding_box()
    t = np.linspace(0, 1, MOVES)
    across, up = 0.15 + 0.7 * t, 0.5 + 0.3 * np.sin(7 * t) * isMap
    page.mouse.move(box["x"] + across[0] * box["width"], box["y"] + up[0] * box["height"])
    page.mouse.down()
    for x, y in zip(across, up, strict=True):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.wait_for_timeout(16)
    page.mouse.up()
    return np.array(page.evaluate("window.times"))


class Spent:
    """The processor time of the script of a page from now on."""

    def __init__(self, page: Any):
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._begin = self._read()

    def _read(self) -> float:
        found = self._session.send("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in found}["ScriptDuration"]

    def milliseconds(self) -> float:
        """Return it."""
        return 1e3 * (self._read() - self._begin)


def main() -> None:
    """Print a line for each page."""
    program = os.environ.get("WEIGHTPATH_BROWSER") or shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is needed: install it, or name it by WEIGHTPATH_BROWSER.")
    for kind in ("path", "map"):
        both = len(page_script(kind).encode()), len(style().encode())
        print(f"script of a {kind} {both[0] / 1e3:.0f} kB, style {both[1] / 1e3:.0f} kB")
    chosen: list[Callable[[Path], str]] = [toy_path, large_margins, small_map, large_map]
    chosen = [make for make in chosen if not sys.argv[1:] or make.__name__ in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for make in chosen:
            file = Path(folder, "page.html")
            line = make(file)
            print(f"{line}: {file.stat().st_size / 1e6:.2f} MB", flush=True)
            for height, words in ((4000, "all in view"), (900, "1280 x 900")):
                page = browser.new_page(viewport={"width": 1280, "height": height})
                page.goto(file.as_uri())
                page.wait_for_timeout(2500)
                spent = Spent(page)
                found = frames(page)
                mean = spent.milliseconds() / max(1, len(found))
                median, most = np.percentile(found, [50, 95])
                print(
                    f"  {words}: {len(found)} frames, processor {mean:.1f} ms a frame; by the "
                    f"clock median {median:.1f} ms, 95 % below {most:.1f} ms",
                    flush=True,
                )
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
