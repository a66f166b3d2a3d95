"""Cases made once, and the page's own numbers at given theta."""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from page.cases import CASES
from weightpath.page.packing import embedded_json


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
