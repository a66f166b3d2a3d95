"""Cases made once, and the page's own numbers at given theta."""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from page.cases import CASES
from page.watching import wait_until
from weightpath.page.packing import embedded_json

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def case():
    """Return a case by its name, made once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = CASES[name]()
        return made[name]

    return get


@pytest.fixture(scope="session")
def node():
    """The program that runs the script's own tests."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("needs node: the script of a page is tested by node's test runner")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout.lstrip("v").split(".")[0]) < 18:
        pytest.skip(f"needs node 18 or newer, there is {version.stdout.strip()}")
    return program


@pytest.fixture(scope="session")
def script_environment():
    """The environment in which node finds the modules of the installed package."""
    return {**os.environ, "WEIGHTPATH_SCRIPT": str(files("weightpath.page") / "script")}


@pytest.fixture(scope="session")
def read_page(node, script_environment):
    """Return what the script of a page makes of its data at some theta."""

    def read(data, theta):
        asked = embedded_json({"data": data, "theta": [float(t) for t in theta]})
        answer = subprocess.run(
            [node, str(Path(__file__).parent / "script" / "read.mjs")],
            input=asked,
            env=script_environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    return read


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install 'weightpath[browser]'"
    )
    known = [os.environ.get("WEIGHTPATH_BROWSER"), *map(shutil.which, BROWSERS)]
    program = next((one for one in known if one), None)
    if program is None:
        pytest.skip("needs Chromium: install it, or name it by WEIGHTPATH_BROWSER")
    with playwright.sync_playwright() as driver:
        # Without a sandbox, which a container does not allow; only our own files are opened.
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, case, tmp_path):
    """Open the page of a case; at the end there must be no error and no request."""
    contexts, troubles, requests = [], [], []

    def watch(page):
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        return page

    def goto(page, file):
        page.goto(file.as_uri())
        requests.remove(file.as_uri())

    def open_one(name, width=1280, height=3600, title="A path", **options):
        one, file = case(name), tmp_path / f"{name}.html"
        given = {"qid": one.qid, "sample_weight": one.weight, "names": one.names}
        one.path.to_html(file, one.curve, one.X, one.y, title=title, n_checks=3, **given)
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = watch(context.new_page())
        goto(page, file)
        wait_until(page, "window.weightpath && window.weightpath.frame.count > 0")
        return page

    def open_file(file):
        context = browser.new_context(viewport={"width": 1000, "height": 900})
        contexts.append(context)
        page = watch(context.new_page())
        goto(page, file)
        return page

    open_one.file = open_file
    yield open_one
    for context in contexts:
        context.close()
    assert troubles == [] and requests == []
