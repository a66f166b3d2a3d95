"""Brain signals of BCI Competition III, data set V: covariate shift between sessions.

The data of the paper's section 4.3 are not public. These are of the same nature: a person's
training sessions and a later one, in which the signals have drifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.utils import Bunch, check_random_state

from weightpath.datasets.locations import find_files, not_found
from weightpath.datasets.tables import read_table

__all__ = ["bci_tasks", "load_bci"]

FOLDER = "bci"
N_FEATURES = 96
LABELS = (2, 3, 7)
# The sessions for training of each subject; the test session is always the fourth.
SESSIONS = {1: (1,), 2: (1, 2, 3), 3: (1, 2, 3)}
ADVICE = (
    "They are the precomputed features of data set V (IDIAP) on the site of BCI Competition III: "
    "tables of 96 features, in the training sessions with the label in a 97th column."
)
DESCR = (
    "BCI Competition III, data set V: power spectra of EEG while subject {subject} imagines moving "
    "the left (label 2) or the right hand (3), or finds words (7). Training session {session}, "
    "test session 4, labels {labels}."
)


def bci_tasks() -> list[dict[str, Any]]:
    """List the two-class tasks: a subject, a training session and two labels each.

    Returns
    -------
    list of dict
        Keyword arguments for :func:`load_bci`.

    Examples
    --------
    >>> from weightpath.datasets import bci_tasks
    >>> len(bci_tasks())
    21
    >>> bci_tasks()[0]
    {'subject': 1, 'session': 1, 'labels': (2, 3)}
    """
    return [
        {"subject": subject, "session": session, "labels": labels}
        for subject, sessions in SESSIONS.items()
        for session in sessions
        for labels in combinations(LABELS, 2)
    ]


def load_bci(
    subject: int = 1,
    session: int = 1,
    labels: Sequence[int] = LABELS,
    data_home: str | PathLike[str] | None = None,
    *,
    n_components: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Bunch:
    """A training session and the later test session of one subject.

    For a task like those of the paper's section 4.3 (two classes, 4 features, 500 to 1000
    training and 200 to 300 test rows), take one of :func:`bci_tasks`, ``n_components=4``, and for
    instance ``n_train=700, n_test=250``.

    Parameters
    ----------
    subject : {1, 2, 3}
        Subject 1 has the training session 1 only, the others have 1, 2 and 3.
    session : {1, 2, 3}
        The training session.
    labels : sequence of int
        Which labels to keep: 2 (left hand), 3 (right hand), 7 (words).
    data_home : path, optional
        The folder that holds ``bci`` with the files ``train_subject1_psd01.csv``,
        ``test_subject1_psd04.csv``, ``labels_subject1_psd04.txt`` and so on, packed or not. None
        searches the one named by the environment variable ``WEIGHTPATH_DATA``, then the user's
        cache folder.
    n_components : int, optional
        Replace the 96 features by so many principal components, those of all kept rows of the
        training session.
    n_train, n_test : int, optional
        Draw so many of the kept rows without replacement; they stay in time order.
    random_state : int, RandomState instance or None
        Determines the rows drawn.

    Returns
    -------
    Bunch
        ``data``, ``target`` of the training session, ``test_data``, ``test_target`` of the test
        session, ``feature_names``, ``DESCR``.

    Raises
    ------
    DataNotFoundError
        If a file is missing.
    """
    check_choice(subject, session, labels)
    files = [
        f"train_subject{subject}_psd{session:02d}.csv",
        f"test_subject{subject}_psd04.csv",
        f"labels_subject{subject}_psd04.txt",
    ]
    paths = find_files(FOLDER, files, data_home)
    if paths is None:
        raise not_found("BCI", FOLDER, files, data_home, ADVICE)
    train = keep(read_table(paths[0], N_FEATURES + 1), labels, paths[0])
    test = keep(read_test_session(*paths[1:]), labels, paths[2])
    names = [f"power_{column}" for column in range(1, N_FEATURES + 1)]
    if n_components is not None:
        # The full decomposition: the same components, and signs, on every run.
        projection = PCA(n_components, svd_solver="full").fit(train[:, :-1])
        train, test = (project(projection, rows) for rows in (train, test))
        names = [f"component_{column}" for column in range(1, projection.n_components_ + 1)]
    random = check_random_state(random_state)
    train = draw(train, n_train, "n_train", random)
    test = draw(test, n_test, "n_test", random)
    return Bunch(
        data=train[:, :-1],
        target=train[:, -1].astype(int),
        test_data=test[:, :-1],
        test_target=test[:, -1].astype(int),
        feature_names=names,
        DESCR=DESCR.format(
            subject=subject, session=session, labels=", ".join(str(label) for label in labels)
        ),
    )


def check_choice(subject: int, session: int, labels: Sequence[int]) -> None:
    """Raise ValueError if there is no such session or label."""
    if subject not in SESSIONS:
        raise ValueError(f"subject must be 1, 2 or 3; got {subject!r}.")
    if session not in SESSIONS[subject]:
        raise ValueError(
            f"Subject {subject} has the training sessions {SESSIONS[subject]}; got {session!r}."
        )
    if len(set(labels)) < 2 or not set(labels) <= set(LABELS):
        raise ValueError(f"labels must be two or three of {LABELS}; got {labels!r}.")


def read_test_session(features_path: Path, labels_path: Path) -> NDArray[np.float64]:
    """Return the test session as a training session is: the label in the last column."""
    features, labels = read_table(features_path, N_FEATURES), read_table(labels_path, 1)
    if len(features) != len(labels):
        raise ValueError(
            f"{features_path} has {len(features)} rows and {labels_path} {len(labels)} labels."
        )
    return np.hstack([features, labels])


def keep(session: NDArray[np.float64], labels: Sequence[int], path: Path) -> NDArray[np.float64]:
    """Return the rows with one of the labels."""
    if not np.isin(session[:, -1], LABELS).all():
        raise ValueError(f"{path}: labels must be 2, 3 or 7; found {np.unique(session[:, -1])}.")
    return session[np.isin(session[:, -1], labels)]


def project(projection: PCA, session: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a session with its features replaced by components."""
    return np.column_stack([projection.transform(session[:, :-1]), session[:, -1]])


def draw(
    session: NDArray[np.float64], n: int | None, name: str, random: np.random.RandomState
) -> NDArray[np.float64]:
    """Return n random rows in their order, or all."""
    if n is None:
        return session
    if not 1 <= n <= len(session):
        raise ValueError(f"{name} must be from 1 to {len(session)}, the rows there are; got {n}.")
    drawn: NDArray[np.float64] = session[np.sort(random.choice(len(session), n, replace=False))]
    return drawn
