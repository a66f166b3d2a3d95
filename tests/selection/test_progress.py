"""How far the work has come: bars, lines and hooks."""

import builtins
import io
import itertools

import numpy as np
import pytest
from joblib import parallel_config

import weightpath as wp
from selection.search_samples import toy
from weightpath.progress import Progress, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def no_rich(monkeypatch):
    real = builtins.__import__

    def importer(name, *args, **kwargs):
        if name.split(".")[0] == "rich":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", importer)


def ticking(step):
    seconds = itertools.count(0, step)
    return lambda: float(next(seconds))


def test_silent_by_default(capsys):
    assert list(track(range(3), "Rows")) == [0, 1, 2]
    with Progress(2, "Folds") as bar:
        bar.advance(2)
    assert capsys.readouterr() == ("", "")


def test_hook_is_told_of_every_task():
    calls = []
    list(track("abc", "Letters", hook=lambda *call: calls.append(call)))
    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]
    list(track(iter("ab"), "Letters", total=2, hook=lambda *call: calls.append(call)))
    assert calls[-1] == (2, 2)


def test_a_log_gets_a_line_for_every_tenth():
    stream = io.StringIO()
    with Progress(200, "Folds", verbose=1, stream=stream, clock=ticking(0)) as bar:
        for _ in range(200):
            bar.advance()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert (
        lines[0] == "Folds: 20 of 200, about 0.0 s left" and lines[-1] == "Folds: 200 of 200, 0.0 s"
    )
    assert "\r" not in stream.getvalue()


def test_a_terminal_without_rich_is_drawn_over(no_rich):
    stream = Terminal()
    with Progress(3, "Folds", verbose=1, stream=stream) as bar:
        for _ in range(3):
            bar.advance()
    text = stream.getvalue()
    assert text.count("\r") == 4 and text.count("\n") == 1 and text.endswith("\n")
    assert "Folds: 0 of 3" in text and "Folds: 3 of 3" in text


def test_rich_draws_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(3, "Folds", verbose=1, stream=stream) as bar:
        bar.advance(3)
    assert "Folds" in stream.getvalue() and "3/3" in stream.getvalue()


def test_time_that_is_left():
    bar = Progress(10, "Folds", clock=ticking(2))
    assert bar.remaining is None
    with bar:
        bar.advance(4)
        # Two seconds since the beginning, and so half a second for each.
        assert bar.remaining == pytest.approx(3.0)
        assert str(bar).startswith("Folds: 4 of 10, about ")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.26, "0.3 s"), (59.9, "59.9 s"), (75, "1:15 min"), (119.7, "2:00 min"), (3725, "1:02:05")],
)
def test_durations(seconds, text):
    # The clock is read when the work is described, when it begins and when it has ended.
    times = iter([0.0, 0.0, seconds])
    with Progress(1, "Folds", clock=lambda: next(times)) as bar:
        bar.advance()
        assert str(bar) == f"Folds: 1 of 1, {text}"


def test_an_error_ends_the_display(no_rich):
    stream = Terminal()

    def broken():
        with Progress(3, "Folds", verbose=1, stream=stream) as bar:
            bar.advance()
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        broken()
    assert "1 of 3" in stream.getvalue() and stream.getvalue().endswith("\n")


def test_an_empty_piece_of_work():
    stream = io.StringIO()
    with Progress(0, "Folds", verbose=1, stream=stream):
        pass
    assert list(track([], "Rows", verbose=1)) == []


@pytest.mark.parametrize(
    "backend", ["sequential", "threading", pytest.param("loky", marks=pytest.mark.second_stage)]
)
def test_a_search_tells_of_every_fold(backend, capsys):
    X, y, start, end = toy(40)
    calls = []
    search = wp.PathSearchCV(
        wp.SVC(C=10, gamma=0.5),
        cv=3,
        param_grid={"C": [1, 10]},
        progress=lambda done, total: calls.append((done, total)),
    )
    options = {} if backend == "sequential" else {"n_jobs": 2}
    with parallel_config(backend, **options):
        search.fit(X, y, start=start, end=end)
        assert calls == [(k, 6) for k in range(7)]
        assert capsys.readouterr() == ("", "")
        search.set_params(verbose=1, progress=None).fit(X, y, start=start, end=end)
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines()[-1].startswith("Folds: 6 of 6")
    assert np.isfinite(search.best_score_)
