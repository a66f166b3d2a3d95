"""The real data against what is known of them."""

import numpy as np
import pytest

from weightpath.datasets import (
    bci_tasks,
    load_bci,
    load_boston,
    load_nasdaq,
    load_ohsumed,
    load_spambase,
)


@pytest.mark.data("nasdaq")
def test_nasdaq(data_home):
    nasdaq = load_nasdaq(data_home)
    assert nasdaq.all_close.shape == (5031,)
    assert nasdaq.all_dates[[0, -1]].astype(str).tolist() == ["1999-01-04", "2018-12-31"]
    years = (nasdaq.all_dates >= np.datetime64("2001-01-02")) & (
        nasdaq.all_dates <= np.datetime64("2009-12-31")
    )
    assert years.sum() == 2263
    assert nasdaq.all_close[years][[0, -1]] == pytest.approx([2291.86, 2269.15], abs=0.005)
    assert nasdaq.data.shape == (2540, 5) and nasdaq.n_train == 2515
    assert nasdaq.dates[-1] == np.datetime64("2009-12-31")
    assert nasdaq.dates[0] < np.datetime64("2001-01-02")
    assert set(nasdaq.target) == {-1, 1}


@pytest.mark.data("boston")
def test_boston(data_home):
    boston = load_boston(data_home)
    assert boston.data.shape == (506, 13)
    assert boston.target.mean() == pytest.approx(22.5328, abs=5e-5)
    assert boston.data[0, [0, 8, 12]].tolist() == [0.00632, 1, 4.98] and boston.target[0] == 24


@pytest.mark.data("spambase")
def test_spambase(data_home):
    spambase = load_spambase(data_home)
    assert spambase.data.shape == (4601, 57) and spambase.target.sum() == 1813
    rows = np.column_stack([spambase.data, spambase.target])
    assert len(rows) - len(np.unique(rows, axis=0)) == 391
    header = (data_home / "spambase" / "spambase.csv").read_text().splitlines()[0]
    assert header.split(",")[:-1] == spambase.feature_names


def count_pairs(target, qid):
    """Count the pairs of one query and different relevance, every pair looked at."""
    total = 0
    for query in np.unique(qid):
        grades = target[qid == query]
        total += int((grades[:, None] > grades[None, :]).sum())
    return total


@pytest.mark.data("ohsumed")
@pytest.mark.parametrize(
    ("fold", "pairs"), [(1, 367663), (2, 422716), (3, 378087), (4, 295814), (5, 283484)]
)
def test_ohsumed_trains_on_the_pairs_of_the_paper(data_home, fold, pairs):
    train = load_ohsumed(fold, "train", data_home)
    assert count_pairs(train.target, train.qid) == pairs


@pytest.mark.data("ohsumed")
def test_ohsumed_in_all(data_home):
    sets = [load_ohsumed(fold, "test", data_home) for fold in (2, 3, 4, 5, 1)]
    assert [len(part.target) for part in sets] == [2570, 3076, 3573, 3538, 3383]
    assert [len(set(part.qid)) for part in sets] == [21, 21, 21, 21, 22]
    target = np.concatenate([part.target for part in sets])
    assert np.bincount(target).tolist() == [11303, 2585, 2252]
    assert len(set(np.concatenate([part.qid for part in sets]))) == 106
    assert sets[0].data.shape[1] == 45
    assert sets[0].data[0, [0, 2, 44]].tolist() == [1.0, 0.833333, 0.971425]


@pytest.mark.data("bci")
def test_bci_sessions(data_home):
    first = load_bci(1, 1, data_home=data_home)
    assert first.data.shape == (3488, 96) and first.test_data.shape == (3504, 96)
    assert np.bincount(first.target)[[2, 3, 7]].tolist() == [928, 1120, 1440]
    assert np.bincount(first.test_target)[[2, 3, 7]].tolist() == [1040, 1024, 1440]
    assert first.test_data[0, 0] == 0.0204 and first.target[0] == 7


@pytest.mark.data("bci")
def test_bci_tasks_like_those_of_the_paper(data_home):
    for task in bci_tasks()[::5]:
        drawn = load_bci(**task, data_home=data_home, n_components=4, n_train=700, n_test=250)
        assert drawn.data.shape == (700, 4) and drawn.test_data.shape == (250, 4)
        assert set(drawn.target) == set(drawn.test_target) == set(task["labels"])
