"""Sessions of brain signals from small files."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from weightpath.datasets import bci_tasks, load_bci

from .conftest import write

LABELS = np.array([2, 3, 7] * 8)


def table(rows):
    return "\n".join(",".join(f"{value:.9e}" for value in row) for row in rows) + "\n"


@pytest.fixture
def sessions(home):
    """Subject 2 with the training session 3 and the test session."""
    rng = np.random.default_rng(0)
    train, test = rng.random((24, 96)), rng.random((24, 96)) + 1
    folder = home / "bci"
    write(folder / "train_subject2_psd03.csv.gz", table(np.column_stack([train, LABELS])))
    write(folder / "test_subject2_psd04.csv.gz", table(test))
    write(folder / "labels_subject2_psd04.txt", "".join(f"  {v:.7e}\n" for v in LABELS[::-1]))
    return home, train, test


def test_both_sessions(sessions):
    home, train, test = sessions
    bci = load_bci(2, 3, data_home=home)
    assert bci.data == pytest.approx(train, abs=1e-8)
    assert bci.test_data == pytest.approx(test, abs=1e-8)
    assert bci.target.tolist() == LABELS.tolist()
    assert bci.test_target.tolist() == LABELS[::-1].tolist()
    assert len(bci.feature_names) == 96


def test_two_labels_and_components_of_the_training_session(sessions):
    home, train, test = sessions
    bci = load_bci(2, 3, (3, 7), home, n_components=4)
    assert set(bci.target) == set(bci.test_target) == {3, 7}
    kept, kept_test = train[LABELS != 2], test[LABELS[::-1] != 2]
    projection = PCA(4, svd_solver="full").fit(kept)
    assert bci.data == pytest.approx(projection.transform(kept), abs=1e-6)
    assert bci.test_data == pytest.approx(projection.transform(kept_test), abs=1e-6)
    assert bci.feature_names == [f"component_{i}" for i in (1, 2, 3, 4)]


def test_rows_are_drawn_once_and_stay_in_order(sessions):
    home, train, test = sessions
    bci = load_bci(2, 3, (2, 7), home, n_train=10, n_test=7, random_state=1)
    for drawn, whole in ((bci.data, train), (bci.test_data, test)):
        places = [int(np.argmin(np.abs(whole - row).sum(axis=1))) for row in drawn]
        assert places == sorted(set(places))
    assert bci.data.shape == (10, 96) and bci.test_data.shape == (7, 96)
    again = load_bci(2, 3, (2, 7), home, n_train=10, n_test=7, random_state=1)
    other = load_bci(2, 3, (2, 7), home, n_train=10, n_test=7, random_state=2)
    assert np.array_equal(bci.data, again.data)
    assert not np.array_equal(bci.data, other.data)


def test_tasks_are_all_different_and_accepted(sessions):
    tasks = bci_tasks()
    assert len({str(task) for task in tasks}) == len(tasks) == 21
    home = sessions[0]
    mine = [task for task in tasks if (task["subject"], task["session"]) == (2, 3)]
    assert [set(load_bci(**task, data_home=home).target) for task in mine] == [
        {2, 3},
        {2, 7},
        {3, 7},
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"subject": 4}, "subject must be"),
        ({"subject": 1, "session": 2}, r"Subject 1 has the training sessions \(1,\)"),
        ({"session": 4}, "training sessions"),
        ({"labels": (2,)}, "two or three"),
        ({"labels": (2, 5)}, "two or three"),
        ({"n_train": 0}, "n_train must be from 1 to 24"),
        ({"n_test": 25}, "n_test must be from 1 to 24"),
    ],
)
def test_wrong_choices(sessions, arguments, message):
    with pytest.raises(ValueError, match=message):
        load_bci(**{"subject": 2, "session": 3, "data_home": sessions[0], **arguments})


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("labels_subject2_psd04.txt", "2\n3\n", "24 rows and .* 2 labels"),
        ("labels_subject2_psd04.txt", "2\n" * 23 + "4\n", "labels must be 2, 3 or 7"),
        ("test_subject2_psd04.csv", "1,2\n", "line 1: 2 fields where 96"),
        ("train_subject2_psd03.csv", table(np.ones((3, 96))), "line 1: 96 fields where 97"),
    ],
)
def test_broken_sessions(sessions, file, text, message):
    write(sessions[0] / "bci" / file, text)
    with pytest.raises(ValueError, match=message):
        load_bci(2, 3, data_home=sessions[0])
