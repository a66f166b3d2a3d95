"""The command line: help, the demonstration, and what it says when something is missing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from click.testing import CliRunner

import weightpath as wp
from weightpath.cli.commands import weightpath


def invoke(*arguments):
    return CliRunner().invoke(weightpath, arguments, prog_name="weightpath")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new" / "folder"
    return out, invoke("demo", "--out", str(out), "--n", "80", "--seed", "3")


def test_help_names_the_commands_and_shows_an_example():
    answer = invoke("--help")
    assert answer.exit_code == 0
    assert "Usage: weightpath" in answer.output
    assert re.search(r"demo +Follow a path", answer.output)
    assert "weightpath demo --out demo" in answer.output


def test_help_of_demo_names_options_with_defaults():
    page = " ".join(invoke("demo", "-h").output.replace("│", "").split())
    for words in ("--out DIRECTORY", "--n INTEGER", "[default: 400]", "--seed", "Examples"):
        assert words in page


def test_version():
    assert wp.__version__ in invoke("--version").output


def test_demo_prints_the_table(demo):
    _, answer = demo
    assert answer.exit_code == 0, answer.output
    for words in ("largest KKT violation", "scaled up from", "lowest in between", "Next"):
        assert words in answer.output
    violation = float(re.search(r"largest KKT violation\s+(\S+)", answer.output).group(1))
    assert violation < 1e-9


def test_demo_agrees_with_libsvm(demo):
    _, answer = demo
    difference = float(re.search(r"difference to LIBSVM\s+(\S+)", answer.output).group(1))
    assert difference < 1e-3


def test_demo_saves_picture_and_path(demo):
    pytest.importorskip("matplotlib")
    out, answer = demo
    assert (out / "toy-path.png").read_bytes().startswith(b"\x89PNG")
    path = wp.load(out / "path.npz")
    assert path.kkt_violation() < 1e-9
    assert str(out / "toy-path.png") in answer.output


@pytest.mark.parametrize("n", ["30", "42", "-4"])
def test_demo_refuses_a_size_with_advice(n, tmp_path):
    answer = invoke("demo", "--out", str(tmp_path), "--n", n)
    assert answer.exit_code == 2
    assert "multiple of 4" in answer.output


def test_demo_without_matplotlib_says_how_to_get_the_picture(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = invoke("demo", "--out", str(tmp_path), "--n", "40")
    assert answer.exit_code == 0, answer.output
    assert "weightpath[plot]" in answer.output
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.second_stage
def test_module_runs_as_a_program():
    command = [sys.executable, "-m", "weightpath.cli", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0
    assert wp.__version__ in answer.stdout


@pytest.mark.second_stage
def test_missing_extra_is_named():
    program = "import sys; sys.modules['click'] = None\nfrom weightpath.cli import main\nmain()"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 1
    assert "weightpath[cli,plot]" in answer.stderr
    assert "Traceback" not in answer.stderr
