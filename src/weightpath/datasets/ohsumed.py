"""OHSUMED of LETOR 3.0, the ranking of the paper's section 5.2."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from weightpath.datasets.locations import find_files, not_found
from weightpath.datasets.svmlight import read_svmlight

__all__ = ["load_ohsumed"]

FOLDER = "ohsumed"
N_FEATURES = 45
N_SETS = 5
# Which of the five sets S1, ..., S5 a part takes, counted cyclically from that of the fold.
PARTS = {"train": (0, 1, 2), "validation": (3,), "test": (4,)}
ADVICE = (
    "They are part of LETOR 3.0 by Microsoft Research: take S1.txt, ..., S5.txt of OHSUMED's "
    "QueryLevelNorm. They have terms of their own and are not for passing on."
)
DESCR = (
    "OHSUMED of LETOR 3.0, normalised within queries: 16140 documents for 106 queries, 45 "
    "features, relevance 0, 1 or 2. Fold {fold}, {part}: {files}."
)


def load_ohsumed(
    fold: int, part: str = "train", data_home: str | PathLike[str] | None = None
) -> Bunch:
    """OHSUMED, documents of medical queries with their relevance, in LETOR's five folds.

    Fold k trains on the sets S_k, S_k+1, S_k+2, validates on the next and tests on the one after,
    counted cyclically. These are the paper's training sets: their preference pairs (same query,
    different relevance) number 367663, 422716, 378087, 295814 and 283484.

    Parameters
    ----------
    fold : int
        1 to 5.
    part : {"train", "validation", "test"}
        The part of the fold.
    data_home : path, optional
        The folder that holds ``ohsumed`` with the files ``S1.txt``, ..., ``S5.txt``, packed or
        not; only those of the part are read. None searches the one named by the environment
        variable ``WEIGHTPATH_DATA``, then the user's cache folder.

    Returns
    -------
    Bunch
        ``data`` (n, 45), ``target`` (n,) of 0, 1 and 2, ``qid`` (n,), ``feature_names``
        ("1" to "45", as the files name them), ``DESCR``.

    Raises
    ------
    DataNotFoundError
        If a file is missing. There is no download: the data have their own terms.
    """
    if fold not in range(1, N_SETS + 1):
        raise ValueError(f"fold must be 1, 2, 3, 4 or 5; got {fold!r}.")
    if part not in PARTS:
        raise ValueError(f'part must be "train", "validation" or "test"; got {part!r}.')
    files = [f"S{(int(fold) - 1 + step) % N_SETS + 1}.txt" for step in PARTS[part]]
    paths = find_files(FOLDER, files, data_home)
    if paths is None:
        raise not_found("OHSUMED", FOLDER, files, data_home, ADVICE)
    sets = [read_set(path) for path in paths]
    data, target, qid = (np.concatenate(pieces) for pieces in zip(*sets, strict=True))
    return Bunch(
        data=data,
        target=target,
        qid=qid,
        feature_names=[str(index) for index in range(1, N_FEATURES + 1)],
        DESCR=DESCR.format(fold=fold, part=part, files=", ".join(files)),
    )


def read_set(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int_], NDArray[np.int64]]:
    """Return features, relevance and queries of one of the five sets."""
    data, target, qid = read_svmlight(path, n_features=N_FEATURES)
    if qid is None:
        raise ValueError(f"{path} names no queries: its rows have no qid.")
    if not np.isin(target, (0, 1, 2)).all():
        raise ValueError(f"{path}: relevance must be 0, 1 or 2; found {np.unique(target)}.")
    return data, target.astype(int), qid
