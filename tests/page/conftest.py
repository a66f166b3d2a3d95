"""Cases made once, and the page's own numbers at given theta."""

import json
import os
import shutil
import subprocess
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from page.cases import CASES
from page.map_cases import MAP_CASES
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
def map_case():
    """Return a case of a map by its name, made once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = MAP_CASES[name]()
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

    return partial(_read, node, script_environment, "read.mjs", "theta")


@pytest.fixture(scope="session")
def read_map(node, script_environment):
    """Return what the script of a map's page makes of its data at some points."""
    return partial(_read, node, script_environment, "read_map.mjs", "z")


def _read(node, environment, script, name, data, where):
    asked = embedded_json({"data": data, name: np.asarray(where, dtype=float).tolist()})
    answer = subprocess.run(
        [node, str(Path(__file__).parent / "script" / script)],
        input=asked,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


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


class Opened:
    """Pages in a browser, of which errors and requests are remembered."""

    def __init__(self, browser, folder):
        self._browser, self._folder = browser, folder
        self._contexts, self.troubles, self.requests = [], [], []

    def __call__(self, name, write, width=1280, height=3600, **options):
        """Open the page that is written to a file."""
        file = self._folder / f"{name}.html"
        write(file)
        page = self.file(file, width, height, **options)
        wait_until(page, "window.weightpath && window.weightpath.frame.count > 0")
        return page

    def file(self, file, width=1000, height=900, **options):
        """Open a file."""
        size = {"width": width, "height": height}
        context = self._browser.new_context(viewport=size, **options)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(file.as_uri())
        self.requests.remove(file.as_uri())
        return page

    def close(self):
        for context in self._contexts:
            context.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open pages; at the end there must be no error and no request."""
    opened = Opened(browser, tmp_path)
    yield opened
    opened.close()
    assert opened.troubles == [] and opened.requests == []


@pytest.fixture
def open_page(opened, case):
    """Open the page of a case."""

    def open_one(name, title="A path", **options):
        one = case(name)
        given = {"qid": one.qid, "sample_weight": one.weight, "names": one.names}

        def write(file):
            one.path.to_html(file, one.curve, one.X, one.y, title=title, n_checks=3, **given)

        return opened(name, write, **options)

    open_one.file = opened.file
    return open_one


@pytest.fixture
def open_map(opened, map_case):
    """Open the page of a case of a map."""

    def open_one(name, title="A map", **options):
        return opened(name, lambda file: map_case(name).write(file, title=title), **options)

    open_one.file = opened.file
    return open_one
