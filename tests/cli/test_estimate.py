"""An estimate before long work: shown, asked about, or refused where nobody can answer."""

from __future__ import annotations

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import click

from cli.command_line import drops, invoke, line_of_error
from weightpath.cli.commands import estimate as module
from weightpath.cli.commands.estimate import Cost, confirm
from weightpath.cli.errors import InputError

WORDS = ("--target", "label", "--task", "classification", "--end", "new", *drops("label", "new"))


@pytest.fixture
def measured(monkeypatch):
    """Let small tables be measured, each path as long as its rows ask for."""
    monkeypatch.setattr(module, "FEW_ROWS", 0)

    def pilot(plan, chosen):
        return Cost(0.5 * len(chosen) ** 2, 1e3 * len(chosen))

    monkeypatch.setattr(module, "_pilot", pilot)


def test_long_work_is_refused_where_nobody_answers(file, tmp_path, measured):
    for command in ("trace", "select"):
        line = line_of_error(invoke(command, file, *WORDS, "--out", tmp_path / "out"))
        assert "This would take about" in line and "--yes does it all the same" in line
    assert not (tmp_path / "out").exists()


def test_yes_goes_on_and_says_how_long(file, tmp_path, measured):
    answer = invoke("trace", file, *WORDS, "--yes", "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert answer.stderr.startswith("This takes about 30 minutes and 2")
    assert (tmp_path / "out" / "model.skops").exists()


def test_paths_of_folds_and_grids_count(file, tmp_path, measured):
    one = invoke("select", file, *WORDS, "--cv", "3", "--out", tmp_path / "out").stderr
    more = invoke(
        *("select", file, *WORDS, "--cv", "3", "--grid-C", "1,2,3,4", "--out", tmp_path / "out")
    ).stderr
    assert "about 70 minutes" in one and "about 3 hours" in more


def test_growth_is_that_of_the_pilots():
    assert module._grown(1.0, 8.0, 10.0) == pytest.approx(8000.0)
    # Nothing grows more slowly than the kernel matrix.
    assert module._grown(1.0, 1.0, 10.0) == pytest.approx(100.0)


def test_real_pilots(file, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FEW_ROWS", 0)
    found = []
    monkeypatch.setattr(
        "weightpath.cli.commands.run.confirm", lambda cost, *rest, **more: found.append(cost)
    )
    ranking = ("--target", "grade", "--task", "ranking", "--qid", "query", "--end", "relevance")
    for words in (WORDS, (*ranking, *drops("grade", "query"))):
        answer = invoke("trace", file, *words, "--cv", "3", "--out", tmp_path / "out")
        assert answer.exit_code == 0, answer.output
    assert all(0 < cost.seconds < 600 and 1e8 < cost.memory < 1e10 for cost in found)
    assert len(found) == 2


@pytest.mark.parametrize("answer", [True, False])
def test_a_terminal_is_asked(monkeypatch, answer):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    asked = []
    monkeypatch.setattr(click, "confirm", lambda text, **options: asked.append(text) or answer)
    if answer:
        confirm(Cost(1e4, 1e9), yes=False, quiet=False)
    else:
        with pytest.raises(InputError, match="Not run"):
            confirm(Cost(1e4, 1e9), yes=False, quiet=False)
    assert asked == ["Go on?"]


def test_short_work_is_not_mentioned(capsys):
    confirm(None, yes=False, quiet=False)
    confirm(Cost(5.0, 1e8), yes=False, quiet=False)
    assert capsys.readouterr() == ("", "")
    confirm(Cost(60.0, 1e8), yes=False, quiet=False)
    assert capsys.readouterr().err == "This takes about 60 seconds and 100 MB of memory.\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(200, "3 minutes"), (7200, "2 hours"), (1e6, "12 days")]
)
def test_durations(seconds, text):
    assert text in str(Cost(seconds, 2.5e9)) and "2.5 GB" in str(Cost(seconds, 2.5e9))
