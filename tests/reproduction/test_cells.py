"""Finished cells: kept apart by settings, never half written, never lost."""

from __future__ import annotations

import pytest

from reproduction.cells import BrokenStoreError, CellStore

SETTINGS = {"quick": False, "repetitions": 10, "n": None}
CELL = {"part": "cost", "gamma": 0.1, "C0": 1e4}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "new" / "folder" / "cells.jsonl"


def test_a_result_comes_back_in_another_process(file):
    result = {"seconds": [0.1, 1e-17], "capped": True, "off": None, "deep": {"a": [1, 2]}}
    CellStore(file).put(SETTINGS, CELL, result)
    assert CellStore(file).get(SETTINGS, CELL) == result


def test_what_is_returned_at_once_is_what_is_read_later(file):
    store = CellStore(file)
    store.put(SETTINGS, CELL, {"pair": (1, 2)})
    assert store.get(SETTINGS, CELL) == CellStore(file).get(SETTINGS, CELL) == {"pair": [1, 2]}


def test_the_order_of_names_does_not_matter(file):
    store = CellStore(file)
    store.put(SETTINGS, CELL, {"x": 1})
    backwards = dict(reversed(CELL.items()))
    assert store.get(dict(reversed(SETTINGS.items())), backwards) == {"x": 1}
    store.put(SETTINGS, backwards, {"x": 2})
    assert len(store) == len(CellStore(file)) == 1


@pytest.mark.parametrize(
    ("settings", "cell"),
    [
        ({**SETTINGS, "quick": True}, CELL),
        ({**SETTINGS, "repetitions": 9}, CELL),
        ({**SETTINGS, "n": 100}, CELL),
        ({"quick": False, "repetitions": 10}, CELL),
        (SETTINGS, {**CELL, "C0": 1e3}),
        (SETTINGS, {**CELL, "part": "error"}),
    ],
)
def test_other_settings_and_cells_are_others(file, settings, cell):
    store = CellStore(file)
    store.put(SETTINGS, CELL, {"x": 1})
    assert store.get(settings, cell) is None
    store.put(settings, cell, {"x": 2})
    again = CellStore(file)
    assert (again.get(SETTINGS, CELL), again.get(settings, cell)) == ({"x": 1}, {"x": 2})


def test_numbers_that_are_none_are_refused_and_nothing_is_lost(file):
    store = CellStore(file)
    store.put(SETTINGS, CELL, {"x": 1})
    before = file.read_bytes()
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.put(SETTINGS, {**CELL, "C0": 1.0}, {"x": float("nan")})
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_write_that_fails_leaves_the_old_file(file, monkeypatch):
    store = CellStore(file)
    store.put(SETTINGS, CELL, {"x": 1})
    before = file.read_bytes()

    def no_room(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", no_room)
    with pytest.raises(OSError, match="no space"):
        store.put(SETTINGS, {**CELL, "C0": 1.0}, {"x": 2})
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_two_runs_at_once_keep_each_others_cells(file):
    one, two = CellStore(file), CellStore(file)
    one.put(SETTINGS, CELL, {"x": 1})
    two.put(SETTINGS, {**CELL, "C0": 1.0}, {"x": 2})
    assert len(CellStore(file)) == 2


@pytest.mark.parametrize("line", ['{"settings": {', "[]", '{"cell": {}}', "nonsense"])
def test_a_broken_line_is_named(file, line):
    CellStore(file).put(SETTINGS, CELL, {"x": 1})
    with file.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(BrokenStoreError, match=r"Line 2 of .*cells\.jsonl.*Remove the line"):
        CellStore(file)
