"""Runs of the command that several tests look at."""

from __future__ import annotations

import pytest


def reproduce(*arguments):
    """Run the command in this process."""
    pytest.importorskip("click")
    pytest.importorskip("rich")
    for needed in ("numba", "matplotlib", "jinja2"):
        pytest.importorskip(needed)
    from click.testing import CliRunner

    from weightpath.cli.commands import weightpath

    words = ("reproduce", *map(str, arguments))
    return CliRunner().invoke(weightpath, words, prog_name="weightpath")


@pytest.fixture(scope="session")
def command():
    """The command ``weightpath reproduce``, called with its arguments."""
    return reproduce


@pytest.fixture
def no_drawing(monkeypatch):
    """Reports without the time that pictures take; they are looked at elsewhere."""
    monkeypatch.setattr("weightpath.reproduction.pictures.render", lambda *_, **__: b"\x89PNG")


@pytest.fixture(scope="session")
def without_data(tmp_path_factory):
    """A quick run of everything where there are no data: the folder and the answer."""
    out, data = tmp_path_factory.mktemp("without"), tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:

        def no_network(name):
            raise OSError("no network in a test")

        for loader in ("boston", "spambase"):
            patch.setattr(f"weightpath.datasets.{loader}.fetch_numbers", no_network)
        return out, reproduce("all", "--quick", "--repetitions", 1, "--out", out, "--data", data)
