"""Boston housing, the regression of the paper's section 5.1."""

from __future__ import annotations

from os import PathLike

from sklearn.utils import Bunch

from weightpath.datasets.locations import find_files, not_found
from weightpath.datasets.openml import fetch_numbers
from weightpath.datasets.tables import read_table

__all__ = ["load_boston"]

FOLDER = "boston"
FILES = ("boston_housing.csv|boston.csv",)
FEATURES = (
    "CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT",
)  # fmt: skip
ADVICE = (
    "An ordinary way to get them is OpenML, data set 'boston', version 1; with a connection this "
    "function does so itself. A file of your own is a table of 14 columns with the target, MEDV, "
    "last."
)
DESCR = (
    "Boston housing: 506 districts, 13 features, the median value of homes in $1000. For the "
    "comparison with published work; the column B makes it unfit for anything about people."
)


def load_boston(
    data_home: str | PathLike[str] | None = None, *, download_if_missing: bool = True
) -> Bunch:
    """Boston housing, 506 rows of 13 features, unscaled.

    Looked for are ``boston/boston_housing.csv`` in ``data_home`` and, without it, OpenML's
    ``boston``, which scikit-learn keeps in its own data folder.

    Parameters
    ----------
    data_home : path, optional
        The folder that holds ``boston``. None searches the one named by the environment variable
        ``WEIGHTPATH_DATA``, then the user's cache folder.
    download_if_missing : bool
        Whether to ask OpenML where there is no file.

    Returns
    -------
    Bunch
        ``data`` (506, 13), ``target`` (506,), ``feature_names``, ``DESCR``.

    Raises
    ------
    DataNotFoundError
        If there is no file and no download.

    Notes
    -----
    The paper scales the inputs to [-1, 1]:
    ``sklearn.preprocessing.minmax_scale(boston.data, (-1, 1))``.
    """
    paths = find_files(FOLDER, FILES, data_home)
    if paths:
        table = read_table(paths[0], len(FEATURES) + 1)
        data, target = table[:, :-1], table[:, -1]
    else:
        missing = not_found("Boston housing", FOLDER, FILES, data_home, ADVICE)
        if not download_if_missing:
            raise missing
        try:
            data, target = fetch_numbers("boston")
        except (OSError, ValueError) as error:
            raise missing from error
    return Bunch(data=data, target=target, feature_names=list(FEATURES), DESCR=DESCR)
