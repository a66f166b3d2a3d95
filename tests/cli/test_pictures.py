"""Pictures of ``trace`` and ``select``."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

from cli.command_line import invoke_json, sample, write_csv


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    columns = sample()
    table = {name: columns[name] for name in ("a", "b", "value", "new")}
    return write_csv(tmp_path_factory.mktemp("data") / "table.csv", table)


def test_without_matplotlib_there_are_none(file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    common = (file, "--target", "value", "--task", "regression", "--end", "new", "--out", tmp_path)
    for command in ("trace", "select"):
        found = invoke_json(command, *common)
        assert any("weightpath[plot]" in note for note in found["notes"])
        assert not list(tmp_path.glob("*.png"))


@pytest.mark.parametrize("command", ["trace", "select"])
def test_path_and_curve_are_drawn(file, tmp_path, command):
    pytest.importorskip("matplotlib")
    common = (file, "--target", "value", "--task", "regression", "--end", "new", "--out", tmp_path)
    found = invoke_json(command, *common, "--cv", "3")
    for name in ("path.png", "curve.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert found["files"][name] == str(tmp_path / name)
