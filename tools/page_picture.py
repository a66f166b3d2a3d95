"""Draw the picture of the page in the documents: python tools/page_picture.py (needs Chromium).

The page is that of ``docs/page.md``, opened in the browser that is named by WEIGHTPATH_BROWSER or
found as ``chromium``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import weightpath as wp

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "page.png"
SIZE = {"width": 1240, "height": 980}


def main() -> None:
    """Write the page, open it at the best theta, and keep what is seen."""
    train = wp.datasets.make_toy(400, random_state=0)
    new = wp.datasets.make_toy(1000, random_state=1, like=train)
    model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
    path = model.reweight(train.w_new)
    curve = path.curve(new.X, new.y, "zero_one", new.cost)
    program = os.environ.get("WEIGHTPATH_BROWSER") or shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is needed: install it, or name it by WEIGHTPATH_BROWSER.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder, "path.html")
        path.to_html(file, curve, new.X, new.y, sample_weight=new.cost, title="Toy data")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=1)
        page.goto(file.as_uri())
        page.get_by_role("button", name="Go to the best θ").click()
        page.evaluate("window.scrollTo(0, 0)")
        page.wait_for_timeout(800)
        page.screenshot(path=str(PICTURE))
        browser.close()
    Image.open(PICTURE).convert("RGB").save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
