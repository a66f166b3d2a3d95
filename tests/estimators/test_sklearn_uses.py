"""Whatever takes scikit-learn's support vector machines takes ours, and the same comes out."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.svm

import weightpath as wp
from estimators.sklearn_uses import USES

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"

# How far the approximate solutions of scikit-learn are from ours at this tolerance.
CLOSE = 1e-5


def theirs(kind):
    return lambda **settings: kind(**settings, tol=1e-9)


@pytest.fixture(autouse=True)
def without_windows():
    backend = mpl.get_backend()
    mpl.use("agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
    mpl.use(backend)


@pytest.mark.parametrize("name", USES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_comes_out(name):
    ours = np.asarray(USES[name](wp.SVC, wp.SVR))
    expected = np.asarray(USES[name](theirs(sklearn.svm.SVC), theirs(sklearn.svm.SVR)))
    assert ours.shape == expected.shape and np.size(ours) > 0
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(ours, expected, rtol=0, atol=CLOSE)
    else:
        np.testing.assert_array_equal(ours, expected)


def test_the_table_of_the_page_has_all_uses():
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.read_text(), flags=re.MULTILINE)
    assert dict(rows) == {name: use.__doc__ for name, use in USES.items()}
    assert len(rows) == len(USES) >= 25
