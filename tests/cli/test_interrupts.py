"""Ctrl-C: what there is of a path is written and can be read; otherwise nothing is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import invoke, write_csv
from weightpath.cli.interrupts import requests_by_interrupt
from weightpath.cli.output.live_progress import LiveProgress

pytestmark = pytest.mark.usefixtures("ctrl_c_interrupts")

OPTIONS = ("--target", "y", "--task", "classification", "--C", "10", "--gamma", "0.5")
OPTIONS = (*OPTIONS, "--scale", "none")
WEIGHTS = ("--start", "old", "--end", "new")


@pytest.fixture(scope="module")
def toy():
    return wp.datasets.make_toy(2400, random_state=0)


@pytest.fixture(scope="module")
def file(toy, tmp_path_factory):
    columns = {"x1": toy.X[:, 0], "x2": toy.X[:, 1], "y": toy.y, "old": toy.w_old, "new": toy.w_new}
    return write_csv(tmp_path_factory.mktemp("data") / "toy.csv", columns)


@pytest.fixture(scope="module")
def whole(toy):
    return wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)


def interrupts(monkeypatch, times: int, after: int = 600):
    """Press Ctrl-C, so many times, where a path tells how far it is."""
    show = LiveProgress.path

    def path(self, theta, n_events, margin_size):
        show(self, theta, n_events, margin_size)
        if n_events > after:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(LiveProgress, "path", path)


def assert_first_part(out, whole):
    path = wp.load(out / "path.npz")
    assert path.status == "stopped on request" and 0 < path.theta[-1] < 1
    assert 600 < path.n_events < whole.n_events
    assert np.array_equal(path.events["index"], whole.events["index"][: path.n_events])
    assert path.kkt_violation() < 1e-9
    assert path.model_at(float(path.theta[-1]))["model"].kkt_violation() < 1e-9
    return path


def test_path_is_written_as_far_as_it_goes(file, whole, tmp_path, monkeypatch):
    interrupts(monkeypatch, 1)
    before = signal.getsignal(signal.SIGINT)
    answer = invoke("trace", file, *OPTIONS, *WEIGHTS, "--validation", file, "--out", tmp_path)
    assert signal.getsignal(signal.SIGINT) is before
    assert answer.exit_code == 130, answer.output
    path = assert_first_part(tmp_path, whole)
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["status"] == "interrupted" and found["exit_code"] == 130
    assert found["path"]["theta_reached"] == path.theta[-1]
    assert found["certificate"]["kkt_violation"] < 1e-9 and "curve" not in found
    names = {"path.npz", "events.csv", "model.skops", "summary.md", "summary.json"}
    assert {entry.name for entry in tmp_path.iterdir()} == names
    assert "Interrupted" in answer.stdout and "theta reached" in answer.stdout


def test_json_of_an_interrupt(file, tmp_path, monkeypatch):
    interrupts(monkeypatch, 1)
    answer = invoke("trace", file, *OPTIONS, *WEIGHTS, "--out", tmp_path, "--json")
    assert answer.exit_code == 130
    assert json.loads(answer.stdout)["status"] == "interrupted"


def test_second_interrupt_gives_up(file, tmp_path, monkeypatch):
    interrupts(monkeypatch, 2)
    answer = invoke("trace", file, *OPTIONS, *WEIGHTS, "--out", tmp_path / "out", "--json")
    assert answer.exit_code == 130
    assert json.loads(answer.stdout) == {
        "error": "Interrupted; nothing was written.",
        "exit_code": 130,
    }
    assert answer.stderr == "Error: Interrupted; nothing was written.\n"
    assert not (tmp_path / "out").exists()


def press_ctrl_c(*args, **kwargs):
    raise KeyboardInterrupt


@pytest.mark.parametrize("command", ["trace", "select"])
def test_before_there_is_a_path(file, tmp_path, monkeypatch, command):
    monkeypatch.setattr(wp.SVC, "fit", press_ctrl_c)
    answer = invoke(command, file, *OPTIONS, *WEIGHTS, "--out", tmp_path / "out")
    assert answer.exit_code == 130 and "nothing was written" in answer.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("where", ["certificate", "_judge"])
def test_after_the_path(file, whole, tmp_path, monkeypatch, where):
    monkeypatch.setattr(f"weightpath.cli.commands.trace_run.{where}", press_ctrl_c)
    answer = invoke("trace", file, *OPTIONS, *WEIGHTS, "--cv", "3", "--out", tmp_path)
    assert answer.exit_code == 130
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["status"] == "interrupted" and found["path"]["status"] == "complete"
    assert np.array_equal(wp.load(tmp_path / "path.npz").theta, whole.theta)


@pytest.mark.parametrize("command", ["trace", "select"])
def test_while_files_are_written(file, tmp_path, monkeypatch, command):
    def write_events(file, path):
        signal.raise_signal(signal.SIGINT)
        file.write_text("theta")

    monkeypatch.setattr(f"weightpath.cli.commands.{command}_run.write_events", write_events)
    answer = invoke(command, file, *OPTIONS, *WEIGHTS, "--out", tmp_path)
    assert answer.exit_code == 130, answer.output
    # Those that are there are whole, and the summary lists them.
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["status"] == "interrupted"
    assert {entry.name for entry in tmp_path.iterdir()} == set(found["files"])
    assert {"path.npz", "model.skops"} <= set(found["files"]) and "events.csv" not in found["files"]
    assert wp.load(tmp_path / "path.npz").status == "complete"


# A child inherits an interrupt that is ignored, and then Python installs no handler by itself.
PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from weightpath.cli import main
from weightpath.cli.output.live_progress import LiveProgress

show, begin, stopping = LiveProgress.path, LiveProgress.begin, []

def path(self, theta, n_events, margin_size):
    show(self, theta, n_events, margin_size)
    if n_events > 600:
        print("here", file=sys.stderr, flush=True)
        for _ in range(3000):
            time.sleep(0 if stopping else 0.01)

def beginning(self, what, total=None):
    if what.startswith("Stopping"):
        stopping.append(True)
    begin(self, what, total)

LiveProgress.path, LiveProgress.begin = path, beginning
main()
"""


@pytest.mark.second_stage
@pytest.mark.skipif(os.name != "posix", reason="sends a signal to another process")
def test_signal_from_outside(file, whole, tmp_path):
    command = [sys.executable, "-c", PROGRAM, "trace", str(file), *OPTIONS, *WEIGHTS]
    command += ["--out", str(tmp_path), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert json.loads(output)["status"] == "interrupted"
    assert_first_part(tmp_path, whole)


# Native code that looks at no signals, for hours.
DEAF = """
import hashlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from weightpath.cli import main
from weightpath.cli.commands import run

def prepare(options):
    print("here", file=sys.stderr, flush=True)
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2**31 - 1)

run.prepare = prepare
main()
"""


@pytest.mark.second_stage
@pytest.mark.skipif(os.name != "posix", reason="sends a signal to another process")
def test_native_code_does_not_keep_the_program_alive(file, tmp_path):
    command = [sys.executable, "-c", DEAF, "trace", str(file), *OPTIONS, *WEIGHTS]
    command += ["--out", str(tmp_path / "out"), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert json.loads(output) == {"error": "Interrupted; nothing was written.", "exit_code": 130}
    assert error.strip() == "Error: Interrupted; nothing was written."
    assert not (tmp_path / "out").exists()


def test_interrupts_that_are_ignored_stay_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with requests_by_interrupt() as request:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0)
        assert not request.made
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
