"""Runs of the command that several tests look at."""

from __future__ import annotations

import pytest


def reproduce(*arguments):
    """Run the command in this process."""
    pytest.importorskip("click")
    pytest.importorskip("rich")
    from click.testing import CliRunner

    from reproduction.command import reproduce as command

    words = tuple(map(str, arguments))
    return CliRunner().invoke(command, words, prog_name="python -m reproduction")


@pytest.fixture(scope="session")
def rivals():
    """What the experiments need besides the library; the test skips where it is missing."""
    pytest.importorskip("numba", reason="the rivals are compiled with numba: pip install numba")
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")


@pytest.fixture(scope="session")
def command(rivals):
    """The command ``python -m reproduction``, called with its arguments."""
    return reproduce


@pytest.fixture(scope="session")
def bare_command():
    """The same where nothing is run that needs rivals."""
    return reproduce


@pytest.fixture
def no_drawing(monkeypatch):
    """Reports without the time that pictures take; they are looked at elsewhere."""
    monkeypatch.setattr("reproduction.pictures.render", lambda *_, **__: b"\x89PNG")


@pytest.fixture(scope="session")
def without_data(rivals, tmp_path_factory):
    """A quick run of everything where there are no data: the folder and the answer."""
    out, data = tmp_path_factory.mktemp("without"), tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:

        def no_network(name):
            raise OSError("no network in a test")

        for loader in ("boston", "spambase"):
            patch.setattr(f"weightpath.datasets.{loader}.fetch_numbers", no_network)
        return out, reproduce("all", "--quick", "--repetitions", 1, "--out", out, "--data", data)
