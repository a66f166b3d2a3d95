"""The tables on which commands are called; a test skips by itself where click is missing."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def columns():
    from cli.command_line import sample

    return sample()


@pytest.fixture(scope="session")
def file(columns, tmp_path_factory):
    from cli.command_line import write_csv

    return write_csv(tmp_path_factory.mktemp("data") / "table.csv", columns)


@pytest.fixture(scope="session")
def validation(tmp_path_factory):
    from cli.command_line import sample, write_csv

    return write_csv(tmp_path_factory.mktemp("data") / "other.csv", sample(90, seed=1))


@pytest.fixture(scope="module")
def no_pictures_of_traces():
    """Pictures take most of the time; they have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weightpath.cli.commands.trace_run.draw_pictures", lambda *results: [])
        yield
