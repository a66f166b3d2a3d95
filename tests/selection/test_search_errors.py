"""What a search says when it cannot be done."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import (
    KFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from selection.search_samples import (
    FOLDS,
    toy,
)
from weightpath.errors import PathError

SVC = wp.SVC(C=10, gamma=0.5)
SVR = wp.SVR(C=5, epsilon=0.1, gamma=0.5)


@pytest.fixture(scope="module")
def data():
    return toy()


def test_weights_that_leave_a_class_empty_name_the_fold(data):
    X, y, _, end = data
    start = np.ones(80)
    first_test = next(iter(FOLDS.split(X, y)))[1]
    # All weight of one class is on rows that the first fold holds out.
    start[y == 1] = 0
    start[first_test] = 1
    with pytest.raises(ValueError, match=r"Fold 1 of 4: All weights of class 1 are zero"):
        wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)
    with pytest.raises(ValueError, match=r"Fold 1 of 4: All weights of class 1 are zero"):
        wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=end, end=start)


def test_a_path_that_is_stopped_is_an_error(data):
    X, y, start, end = data
    estimator = wp.SVC(C=10, gamma=0.5, max_events=3)
    with (
        pytest.raises(PathError, match=r"Fold 1 of 4: .*max_events=3"),
        pytest.warns(wp.EventCapWarning),
    ):
        wp.PathSearchCV(estimator, cv=FOLDS).fit(X, y, start=start, end=end)


def test_a_class_that_the_training_rows_lack(data):
    X, y, start, end = data
    order = np.argsort(y)
    with pytest.raises(ValueError, match="Fold 1 of 2: "):
        wp.PathSearchCV(SVC, cv=KFold(2)).fit(X[order], y[order], start=start, end=end)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"start": None}, TypeError, "start=... and end=..."),
        ({"patterns": [np.ones(80)] * 2}, TypeError, "exclude each other"),
        ({"end": np.ones(79)}, ValueError, r"end has shape \(79,\)"),
        ({"end": -np.ones(80)}, ValueError, "end must not be negative"),
        ({"start": np.full(80, np.nan)}, ValueError, "start contains NaN"),
        ({"validation_weight": np.zeros(80)}, ValueError, "Fold 1 of 4: sample_weight is zero"),
        ({"validation_weight": np.ones(3)}, ValueError, "validation_weight has shape"),
        ({"sample_weight": np.ones(80)}, TypeError, "validation_weight"),
        ({"unknown": 3}, TypeError, "Fold 1 of 4: .*unknown"),
        ({"qid": np.arange(80)}, ValueError, "Fold 1 of 4: .*takes no qid"),
        ({"qid": np.arange(3)}, ValueError, "inconsistent numbers of samples"),
    ],
)
def test_wrong_weights(data, change, error, match):
    X, y, start, end = data
    given = {"start": start, "end": end, **change}
    with pytest.raises(error, match=match):
        wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, **given)


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"estimator": make_pipeline(SVC, StandardScaler())}, TypeError, "last step can; Standard"),
        ({"estimator": sklearn.svm.SVC()}, TypeError, "can reweight"),
        ({"choice": "worst"}, ValueError, "choice must be"),
        ({"towards": "left"}, ValueError, "towards must be"),
        ({"metric": "squared"}, ValueError, "Fold 1 of 5: The metric 'squared'"),
        ({"metric_params": {"epsilon": 1}}, ValueError, "Fold 1 of 5: .*takes no epsilon"),
        ({"cv": []}, ValueError, "no folds"),
        ({"cv": 100}, ValueError, "n_splits"),
    ],
)
def test_wrong_settings(data, settings, error, match):
    X, y, start, end = data
    with pytest.raises(error, match=match):
        wp.PathSearchCV(**{"estimator": SVC, **settings}).fit(X, y, start=start, end=end)


def test_nan_and_lengths(data):
    X, y, start, end = data
    bad = X.copy()
    bad[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        wp.PathSearchCV(SVC).fit(bad, y, start=start, end=end)
    with pytest.raises(ValueError, match="inconsistent"):
        wp.PathSearchCV(SVC).fit(X, y[:-1], start=start, end=end)
