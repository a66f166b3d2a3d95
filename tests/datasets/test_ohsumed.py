"""Folds of ranking data from five small sets."""

import numpy as np
import pytest

from weightpath.datasets import load_ohsumed

from .conftest import write


@pytest.fixture
def sets(home):
    """Set k has k rows of the query 10 k, feature 45 only in the last set."""
    for k in range(1, 6):
        rows = [f"{i % 3} qid:{10 * k} 1:{k} 3:0.5 #docid = {i}" for i in range(k)]
        if k == 5:
            rows[0] += "\n2 qid:50 45:1"
        write(home / "ohsumed" / f"S{k}.txt{'.gz' if k % 2 else ''}", "\n".join(rows) + "\n")
    return home


@pytest.mark.parametrize("fold", range(1, 6))
def test_parts_of_a_fold_are_cyclic(sets, fold):
    cycle = [(fold - 1 + step) % 5 + 1 for step in range(5)]
    expected = {"train": cycle[:3], "validation": cycle[3:4], "test": cycle[4:]}
    for part, numbers in expected.items():
        read = load_ohsumed(fold, part, sets)
        first_rows = np.unique(read.qid, return_index=True)[1]
        assert read.qid[np.sort(first_rows)].tolist() == [10 * k for k in numbers]
        assert read.data.shape == (len(read.target), 45) and len(read.feature_names) == 45
        assert read.target.dtype.kind == "i" and read.qid.dtype.kind == "i"
        assert f"Fold {fold}, {part}" in read.DESCR


def test_only_the_part_asked_for_is_needed(sets):
    for k in (1, 2, 3, 4):
        next((sets / "ohsumed").glob(f"S{k}.*")).unlink()
    assert load_ohsumed(1, "test", sets).target.size == 6


@pytest.mark.parametrize(
    ("fold", "part", "message"),
    [(0, "train", "fold"), (6, "train", "fold"), ("1", "train", "fold"), (1, "vali", "part")],
)
def test_no_such_part(sets, fold, part, message):
    with pytest.raises(ValueError, match=f"^{message} must be"):
        load_ohsumed(fold, part, sets)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1:1\n", "no qid"),
        ("3 qid:1 1:1\n", "relevance must be 0, 1 or 2"),
        ("1 qid:1 46:1\n", "line 1"),
    ],
)
def test_broken_sets(sets, text, message):
    write(sets / "ohsumed" / "S4.txt", text)
    with pytest.raises(ValueError, match=message):
        load_ohsumed(1, "validation", sets)
