"""Completion by the shell."""

from __future__ import annotations

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from click.shell_completion import ShellComplete

from cli.command_line import invoke, sample, write_csv
from weightpath.cli.commands import weightpath


def complete(*words):
    """Return what the last word may become."""
    *before, last = words
    shell = ShellComplete(weightpath, {}, "weightpath", "_WEIGHTPATH_COMPLETE")
    return {item.value for item in shell.get_completions([str(word) for word in before], last)}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_of_a_shell(shell):
    answer = invoke("completion", shell)
    assert answer.exit_code == 0, answer.output
    assert f"_WEIGHTPATH_COMPLETE={shell}_complete" in answer.output


def test_unknown_shell():
    assert invoke("completion", "nushell").exit_code == 2


def test_commands_and_options():
    assert {"trace", "select", "completion"} <= complete("")
    assert "--validation" in complete("trace", "--va")
    assert complete("trace", "--task", "r") == {"regression", "ranking"}
    assert complete("select", "--gamma", "s") == {"scale"}


def test_columns_of_the_file(tmp_path):
    file = write_csv(tmp_path / "table.csv", sample(12))
    assert complete("trace", file, "--target", "") >= {"a", "label", "new"}
    assert complete("trace", file, "--end", "ne") == {"new"}
    plain = write_csv(tmp_path / "plain.csv", {"a": [1, 2]}, header=False)
    assert complete("trace", plain, "--target", "") == set()
    assert complete("trace", tmp_path / "absent.csv", "--target", "") == set()
