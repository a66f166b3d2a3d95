"""A search as scikit-learn expects it: data of all kinds, splitters, pipelines, routing."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csc_matrix, csr_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import weightpath as wp
from selection.search_samples import (
    FOLDS,
    fresh_value,
    same_curves,
    toy,
    wrong,
)
from weightpath.curves import mean_curve

SVC = wp.SVC(C=10, gamma=0.5)
SVR = wp.SVR(C=5, epsilon=0.1, gamma=0.5)


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def search(data):
    X, y, start, end = data
    return wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)


def test_not_fitted():
    search = wp.PathSearchCV(SVC)
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(search, method)([[0.0, 0.0]])
    with pytest.raises(NotFittedError):
        check_is_fitted(search)
    assert not hasattr(search, "n_features_in_") and not hasattr(search, "curve_")


def test_parameters_and_tags():
    search = wp.PathSearchCV(SVC, "hinge", cv=3)
    copy = clone(search).set_params(estimator__C=3, cv=7)
    assert copy.get_params()["estimator__C"] == 3 and copy.cv == 7 and search.estimator.C == 10
    assert is_classifier(search) and not is_regressor(search)
    assert is_regressor(wp.PathSearchCV(SVR))
    assert get_tags(search).input_tags.sparse
    precomputed = wp.PathSearchCV(wp.SVC(kernel="precomputed"))
    assert get_tags(precomputed).input_tags.pairwise


def test_fit_changes_nothing_it_was_given(data):
    X, y, start, end = (np.array(part) for part in data)
    copies = [part.copy() for part in (X, y, start, end)]
    estimator = wp.SVC(C=10, gamma=0.5)
    wp.PathSearchCV(estimator, cv=FOLDS).fit(X, y, start=start, end=end)
    for part, copy in zip((X, y, start, end), copies, strict=True):
        assert (part == copy).all()
    assert not hasattr(estimator, "classes_")


def test_fitted_search_is_pickled(data, search):
    X = data[0]
    copy = pickle.loads(pickle.dumps(search))
    assert same_curves(copy.fold_curves_, search.fold_curves_)
    assert (copy.decision_function(X) == search.decision_function(X)).all()
    assert copy.best_theta_ == search.best_theta_


@pytest.mark.parametrize("kind", [csr_array, csc_matrix, pd.DataFrame, list])
def test_kinds_of_data(data, search, kind):
    X, y, start, end = data
    given = X.tolist() if kind is list else kind(X)
    labels = pd.Series(y, index=np.arange(len(y))[::-1]) if kind is pd.DataFrame else y
    weights = {"start": pd.Series(start), "end": end.tolist()}
    found = wp.PathSearchCV(SVC, cv=FOLDS).fit(given, labels, **weights)
    grid = np.linspace(0, 1, 1001)
    assert found.curve_(grid) == pytest.approx(search.curve_(grid), abs=1e-12)
    assert (found.predict(given) == search.predict(X)).all()


def test_names_of_columns_are_kept(data):
    X, y, start, end = data
    frame = pd.DataFrame(X, columns=["width", "height"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = wp.PathSearchCV(SVC, cv=FOLDS).fit(frame, y, start=start, end=end)
        search.predict(frame)
    assert search.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(ValueError, match="feature names"):
        search.predict(frame[["height", "width"]])


def test_precomputed_kernels_are_split_both_ways(data, search):
    X, y, start, end = data
    K = rbf_kernel(X, gamma=0.5)
    found = wp.PathSearchCV(wp.SVC(C=10, kernel="precomputed"), cv=FOLDS)
    found.fit(K, y, start=start, end=end)
    grid = np.linspace(0, 1, 1001)
    assert found.curve_(grid) == pytest.approx(search.curve_(grid), abs=1e-12)
    assert (found.predict(K) == search.predict(X)).all()


@pytest.mark.parametrize(
    "cv",
    [
        3,
        KFold(3),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        PredefinedSplit(np.r_[np.arange(80) % 3][:70].tolist() + [-1] * 10),
        [(np.arange(0, 80, 2), np.arange(1, 80, 2)), (np.arange(1, 80, 2), np.arange(0, 80, 2))],
        [(np.arange(80) % 2 == 0, np.arange(80) % 2 == 1)],
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_splitters(data, cv):
    X, y, start, end = data
    order = np.random.default_rng(0).permutation(80)
    X, y, start, end = X[order], y[order], start[order], end[order]
    search = wp.PathSearchCV(SVC, cv=cv, refit=False).fit(X, y, start=start, end=end)
    splitter = sklearn.model_selection.check_cv(cv, y, classifier=True)
    weight = 0.5 * (start + end)
    expected = []
    for train, test in splitter.split(X, y):
        expected.append(fresh_value(SVC, X, y, weight, train, test, wrong))
    assert [fold(0.5) for fold in search.fold_curves_] == pytest.approx(expected, abs=1e-12)
    assert same_curves([search.curve_], [mean_curve(search.fold_curves_)])


def test_groups_stay_together(data):
    X, y, start, end = data
    groups = np.arange(80) % 5
    search = wp.PathSearchCV(SVC, cv=LeaveOneGroupOut(), refit=False)
    search.fit(X, y, start=start, end=end, groups=groups)
    assert search.n_splits_ == 5
    train, test = groups != 2, groups == 2
    expected = fresh_value(SVC, X, y, 0.5 * (start + end), train, test, wrong)
    assert search.fold_curves_[2](0.5) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="groups"):
        search.fit(X, y, start=start, end=end)


def test_parameters_of_fit_are_split(data):
    X, y, start, end = data
    margin = np.random.default_rng(0).uniform(0.5, 1.5, 80)
    search = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end, margin=margin)
    for k, (train, test) in enumerate(FOLDS.split(X, y)):
        model = SVC.fit(X[train], y[train], sample_weight=end[train], margin=margin[train])
        expected = np.mean(model.predict(X[test]) != y[test])
        assert search.fold_curves_[k](1.0) == pytest.approx(expected, abs=1e-12)
    assert search.best_estimator_.margin_ == pytest.approx(margin)


def test_last_step_of_a_pipeline(data):
    X, y, start, end = data
    pipe = make_pipeline(StandardScaler(), wp.PathSearchCV(SVC, cv=FOLDS))
    pipe.fit(X, y, pathsearchcv__start=start, pathsearchcv__end=end)
    alone = wp.PathSearchCV(SVC, cv=FOLDS)
    alone.fit(StandardScaler().fit_transform(X), y, start=start, end=end)
    assert same_curves(pipe[-1].fold_curves_, alone.fold_curves_)
    assert pipe.predict(X).shape == (80,) and pipe.classes_.tolist() == [-1, 1]


def test_metadata_routing(data):
    X, y, start, end = data
    groups = np.arange(80) % 4
    plain = wp.PathSearchCV(SVC, cv=GroupKFold(4))
    plain.fit(X, y, start=start, end=end, groups=groups, margin=np.full(80, 0.8))
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = clone(SVC).set_fit_request(margin=True)
        search = wp.PathSearchCV(estimator, cv=GroupKFold(4))
        search.fit(X, y, start=start, end=end, groups=groups, margin=np.full(80, 0.8))
        assert same_curves(search.fold_curves_, plain.fold_curves_)
        search = wp.PathSearchCV(SVC, cv=GroupKFold(4)).set_fit_request(start=True, end=True)
        pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), search)
        pipe.fit(X, y, start=start, end=end, groups=groups)
        alone = clone(search).fit(X, y, start=start, end=end, groups=groups)
        assert same_curves(pipe[-1].fold_curves_, alone.fold_curves_)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="margin"):
            plain.fit(X, y, start=start, end=end, groups=groups, margin=np.ones(80))


def test_inside_an_outer_cross_validation(data):
    X, y, start, end = data
    search = wp.PathSearchCV(SVC, cv=3)
    scores = cross_val_score(search, X, y, cv=FOLDS, params={"start": start, "end": end})
    expected = []
    for train, test in FOLDS.split(X, y):
        inner = clone(search).fit(X[train], y[train], start=start[train], end=end[train])
        expected.append(inner.score(X[test], y[test]))
    assert scores.tolist() == expected
