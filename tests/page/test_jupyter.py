"""The widget and the frame in a real notebook: JupyterLab, opened in Chromium."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from page.watching import wait_until

pytestmark = pytest.mark.second_stage

CELLS = [
    """
import weightpath as wp
toy = wp.datasets.make_toy(80, random_state=0)
path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)
curve = path.curve(toy.X, toy.y, "zero_one")
widget = path.widget(curve, toy.X, toy.y, theta=0.25)
seen = []
widget.observe(lambda change: seen.append(change["new"]), "theta")
widget
""",
    "widget.theta = 0.625",
    'print("theta is", widget.theta, "and was seen:", seen)',
    "path.show(curve, toy.X, toy.y)",
    "path",
]


@pytest.fixture(scope="module")
def programs():
    """JupyterLab and nbconvert, of this environment or of the one that WEIGHTPATH_JUPYTER names."""
    folder = os.environ.get("WEIGHTPATH_JUPYTER") or str(Path(sys.executable).parent)
    found = [shutil.which(name, path=folder) for name in ("jupyter-lab", "jupyter-nbconvert")]
    if None in found:
        pytest.skip(
            "needs JupyterLab and nbconvert: pip install jupyterlab nbconvert, or name the folder "
            "of their programs by WEIGHTPATH_JUPYTER"
        )
    pytest.importorskip("anywidget")
    pytest.importorskip("ipykernel", reason="needs ipykernel, which runs the notebook's cells")
    return found


@pytest.fixture
def notebook(tmp_path):
    """A notebook whose cells this interpreter runs."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{k}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": source.strip(),
        }
        for k, source in enumerate(CELLS)
    ]
    kernel = {"name": "weightpath-test", "display_name": "Test", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    file = tmp_path / "work" / "path.ipynb"
    file.parent.mkdir()
    file.write_text(json.dumps({**content, "nbformat_minor": 5}), encoding="utf-8")
    spec = tmp_path / "jupyter" / "kernels" / "weightpath-test" / "kernel.json"
    spec.parent.mkdir(parents=True)
    run = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": run, "display_name": "Test", "language": "python"}))
    return file


@pytest.fixture
def server(programs, notebook, tmp_path):
    """The address of a JupyterLab that serves the notebook."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = {**os.environ, **home, "JUPYTER_PATH": str(tmp_path / "jupyter")}
    options = {
        "ServerApp.port": port,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.open_browser": False,
        "ServerApp.root_dir": notebook.parent,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": "",
        "ServerApp.password": "",
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [programs[0], *(f"--{name}={value}" for name, value in options.items())]
    log = tmp_path / "log.txt"
    with log.open("w") as written:
        process = subprocess.Popen(command, env=environment, stdout=written, stderr=written)
    try:
        yield _when_it_answers(f"http://127.0.0.1:{port}", process, log)
    finally:
        process.terminate()
        process.wait(30)


def _when_it_answers(address, process, log):
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{address}/api"):
                return address
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.5)
    raise AssertionError(log.read_text())


def run_cell(page, number):
    """Run one cell and wait until it is done."""
    cell = page.locator(".jp-Notebook .jp-Cell").nth(number)
    prompt = cell.locator(".jp-InputPrompt")
    for tenth in range(600):
        if tenth % 100 == 0 and "*" not in prompt.inner_text():
            # Again, if the notebook was not ready for it.
            cell.locator(".jp-InputArea-editor").click()
            page.keyboard.press("Control+Enter")
        if re.search(r"\[\d+\]", prompt.inner_text()):
            return cell
        page.wait_for_timeout(100)
    raise AssertionError(f"Cell {number} is not done: {prompt.inner_text()}")


def test_notebook(browser, server, notebook, programs, tmp_path):
    page = browser.new_page(viewport={"width": 1300, "height": 1500})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server}/lab/tree/path.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=120_000)
    page.wait_for_selector("[data-status=idle]", timeout=120_000)

    cell = run_cell(page, 0)
    slider = cell.locator(".wp-slider")
    slider.wait_for(timeout=60_000)
    assert float(slider.input_value()) == 0.25

    # Python moves the page.
    run_cell(page, 1)
    for _ in range(100):
        if float(slider.input_value()) == 0.625:
            break
        page.wait_for_timeout(100)
    assert float(slider.input_value()) == 0.625
    assert "theta 0.625" in slider.get_attribute("aria-valuetext")

    # The page moves Python, by keys that the notebook leaves alone.
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("PageUp")
    page.wait_for_timeout(500)
    text = run_cell(page, 2).locator(".jp-OutputArea-output").inner_text()
    # Changes that follow each other at once may reach Python as one.
    assert "theta is 0.022" in text and "[0.625, " in text

    # The frame, and a small table.
    frame = run_cell(page, 3).locator("iframe")
    frame.wait_for(timeout=30_000)
    assert "segments" in run_cell(page, 4).locator("table").inner_text()
    page.locator(".wp-slider").first.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    folder = os.environ.get("WEIGHTPATH_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder, "jupyterlab.png")))
    page.keyboard.press("Control+s")
    for _ in range(100):
        if "iframe" in notebook.read_text(encoding="utf-8"):
            break
        page.wait_for_timeout(100)
    assert errors == []
    page.close()

    # What is exported still has the page.
    exported = tmp_path / "path.html"
    subprocess.run(
        [programs[1], "--to", "html", "--output", str(exported), str(notebook)],
        check=True,
        capture_output=True,
    )
    page = browser.new_page()
    page.goto(exported.as_uri())
    page.wait_for_timeout(1000)
    inside = next(one for one in page.frames if one is not page.main_frame)
    wait_until(inside, "window.weightpath && window.weightpath.frame.count > 0")
    assert inside.evaluate("window.weightpath.at(0.5).dualCoef[0].length") == 80
    if folder:
        page.locator("iframe").scroll_into_view_if_needed()
        page.wait_for_timeout(500)
        page.screenshot(path=str(Path(folder, "exported.png")))
    page.close()
