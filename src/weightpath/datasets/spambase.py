"""Spambase, the transduction of the paper's section 5.3."""

from __future__ import annotations

from os import PathLike

import numpy as np
from sklearn.utils import Bunch

from weightpath.datasets.locations import find_files, not_found
from weightpath.datasets.openml import fetch_numbers
from weightpath.datasets.tables import read_table

__all__ = ["load_spambase"]

FOLDER = "spambase"
FILES = ("spambase.csv|spambase.data",)
WORDS = """
    make address all 3d our over remove internet order mail receive will people report addresses
    free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data
    415 85 technology 1999 parts pm direct cs meeting original project re edu table conference
"""
FEATURES = (
    *(f"word_freq_{word}" for word in WORDS.split()),
    *(f"char_freq_{character}" for character in ";([!$#"),
    *(f"capital_run_length_{what}" for what in ("average", "longest", "total")),
)
ADVICE = (
    "Ordinary ways to get them are the UCI machine learning repository (spambase.data) and OpenML, "
    "data set 'spambase'; with a connection this function asks OpenML itself."
)
DESCR = "Spambase: 4601 mails, 57 features, target 1 for spam (1813) and 0 for other mail (2788)."


def load_spambase(
    data_home: str | PathLike[str] | None = None, *, download_if_missing: bool = True
) -> Bunch:
    """Spambase, 4601 mails of 57 features, unscaled; some rows are repeated.

    Looked for are ``spambase/spambase.csv`` (or UCI's ``spambase.data``) in ``data_home`` and,
    without it, OpenML's ``spambase``, which scikit-learn keeps in its own data folder.

    Parameters
    ----------
    data_home : path, optional
        The folder that holds ``spambase``. None searches the one named by the environment
        variable ``WEIGHTPATH_DATA``, then the user's cache folder.
    download_if_missing : bool
        Whether to ask OpenML where there is no file.

    Returns
    -------
    Bunch
        ``data`` (4601, 57), ``target`` (4601,) of 1 (spam) and 0, ``feature_names``, ``DESCR``.

    Raises
    ------
    DataNotFoundError
        If there is no file and no download.

    Notes
    -----
    The paper scales the inputs to [0, 1]: ``sklearn.preprocessing.minmax_scale(spambase.data)``.
    """
    paths = find_files(FOLDER, FILES, data_home)
    if paths:
        table = read_table(paths[0], len(FEATURES) + 1)
        data, target, origin = table[:, :-1], table[:, -1], str(paths[0])
    else:
        missing = not_found("spambase", FOLDER, FILES, data_home, ADVICE)
        if not download_if_missing:
            raise missing
        try:
            data, target = fetch_numbers("spambase")
        except (OSError, ValueError) as error:
            raise missing from error
        origin = "OpenML's spambase"
    if not np.isin(target, (0, 1)).all():
        raise ValueError(f"{origin}: the last column must be 1 for spam and 0 for other mail.")
    return Bunch(data=data, target=target.astype(int), feature_names=list(FEATURES), DESCR=DESCR)
