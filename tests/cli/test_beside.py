"""``weightpath bench`` and ``weightpath reproduce``: in a checkout, and elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from cli.command_line import invoke, line_of_error

CHECKOUT = Path(__file__).parents[2]
BESIDE = {"bench": "benchmarks", "reproduce": "reproduction"}


@pytest.mark.parametrize("name", BESIDE)
def test_handed_over_in_a_checkout(name, monkeypatch):
    monkeypatch.chdir(CHECKOUT)
    answer = invoke(name, "--help")
    assert answer.exit_code == 0, answer.output
    assert f"Usage: weightpath {name} [OPTIONS]" in answer.output
    assert "--quick" in answer.output and f"python -m {BESIDE[name]}" in answer.output


@pytest.mark.parametrize("name", BESIDE)
def test_errors_of_the_other_command_come_through(name, monkeypatch):
    monkeypatch.chdir(CHECKOUT)
    answer = invoke(name, "--no-such-option")
    assert answer.exit_code == 2 and "--no-such-option" in answer.stderr


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("strange", [False, True], ids=["nothing there", "another project"])
def test_elsewhere_one_sentence_says_where_it_is(name, strange, tmp_path, monkeypatch):
    if strange:
        folder = tmp_path / BESIDE[name]
        folder.mkdir()
        (folder / "command.py").write_text("raise RuntimeError('not ours')\n")
    monkeypatch.chdir(tmp_path)
    line = line_of_error(invoke(name, "--quick"))
    assert "clone the repository" in line and f"make {name}" in line
