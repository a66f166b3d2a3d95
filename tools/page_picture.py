"""Draw the pictures of pages in the documents: python tools/page_picture.py (needs Chromium).

The pages are those of ``docs/page.md``, opened in the browser that is named by WEIGHTPATH_BROWSER
or found as ``chromium``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import weightpath as wp

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def write_path(file: Path) -> None:
    """Write the page of a path."""
    train = wp.datasets.make_toy(400, random_state=0)
    new = wp.datasets.make_toy(1000, random_state=1, like=train)
    model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
    path = model.reweight(train.w_new)
    curve = path.curve(new.X, new.y, "zero_one", new.cost)
    path.to_html(file, curve, new.X, new.y, sample_weight=new.cost, title="Toy data")


def write_map(file: Path) -> None:
    """Write the page of a map."""
    new = wp.datasets.make_toy(1000, random_state=1, like=wp.datasets.make_toy(400, random_state=0))
    small = wp.datasets.make_toy(60, random_state=0)
    model = wp.SVC(C=0.1, gamma=0.5).fit(small.X, small.y)
    plane = wp.region_map(model, [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}])
    surface = plane.surface(new.X, new.y, "zero_one")
    plane.to_html(file, surface, title="Costs of two classes")


def draw(browser: Any, file: Path, picture: Path, height: int, where: str) -> None:
    """Open a page, go somewhere by an expression, and keep what is seen."""
    page = browser.new_page(viewport={"width": 1240, "height": height}, device_scale_factor=1)
    page.goto(file.as_uri())
    page.wait_for_timeout(800)
    page.evaluate(where)
    page.wait_for_timeout(800)
    page.screenshot(path=str(picture))
    page.close()
    Image.open(picture).convert("RGB").save(picture, optimize=True)


def main() -> None:
    """Draw both pictures."""
    program = os.environ.get("WEIGHTPATH_BROWSER") or shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is needed: install it, or name it by WEIGHTPATH_BROWSER.")
    press = "document.querySelector('.wp-best').click()"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        file = Path(folder, "page.html")
        write_path(file)
        draw(browser, file, IMAGES / "page.png", 980, press)
        write_map(file)
        draw(browser, file, IMAGES / "page-map.png", 1180, "window.weightpath.go([0.55, 0.42])")
        browser.close()


if __name__ == "__main__":
    main()
