"""What is loaded when: help and version without scikit-learn, names and commands on first use."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

import click

import weightpath as wp
from cli.command_line import invoke
from weightpath.cli.commands import weightpath
from weightpath.cli.commands.group import COMMANDS

HEAVY = ("sklearn", "scipy", "numpy", "pandas", "joblib", "matplotlib")


def loaded(*arguments: str) -> set[str]:
    """Return which heavy packages a call of the command loads."""
    program = (
        "import json, sys\n"
        f"sys.argv = {['weightpath', *arguments]!r}\n"
        "from weightpath.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert len(answer.stdout.splitlines()) > 1
    return set(json.loads(answer.stdout.splitlines()[-1]))


@pytest.mark.second_stage
@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(option):
    assert loaded(option) == set()


@pytest.mark.second_stage
@pytest.mark.parametrize("command", ["demo", "trace", "select", "completion"])
def test_help_of_a_command_loads_no_learning(command):
    assert not loaded(command, "--help") & {"sklearn", "scipy", "pandas", "matplotlib"}


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_are_those_of_the_commands(name):
    command = weightpath.get_command(click.Context(weightpath), name)
    assert command.name == name
    assert command.get_short_help_str(limit=100) == COMMANDS[name]
    if name in ("bench", "reproduce"):
        package = {"bench": "benchmarks", "reproduce": "reproduction"}[name]
        own = getattr(__import__(f"{package}.command").command, name)
        assert own.get_short_help_str(limit=100) == COMMANDS[name]


def test_unknown_command():
    answer = invoke("tracee")
    assert answer.exit_code == 2 and "tracee" in answer.stderr


def imported_for_type_checkers() -> dict[str, str]:
    """Return the names that type checkers see, each with the module that it is from."""
    tree = ast.parse(Path(wp.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_type_checkers_see_the_names_that_there_are():
    seen = imported_for_type_checkers()
    assert sorted(seen) == sorted(wp.__all__)
    for name, module in seen.items():
        home = "" if module == "weightpath" else module.removeprefix("weightpath.")
        assert wp._HOME_OF.get(name, "") == home


@pytest.mark.parametrize("name", wp.__all__)
def test_every_public_name_is_there(name):
    assert getattr(wp, name) is not None
    assert name in dir(wp)


def test_packages_are_attributes_and_other_names_are_not():
    assert wp.engine.load_problem and wp.plotting
    for name in ("no_such_name", "_no_such_name"):
        with pytest.raises(AttributeError, match=name):
            getattr(wp, name)
