"""Metrics of groups against their definitions, written out."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification

import weightpath as wp
from weightpath.metrics import trace_curve


def difference(rates):
    rates = [rate for rate in rates if rate is not None]
    return max(rates) - min(rates) if rates else 0.0


def share(hit, weight):
    return float(weight[hit].sum() / weight.sum()) if weight.sum() > 0 else None


def parity(y, guess, weight, groups, classes):
    """For each class how often a group is predicted as it."""
    return max(
        difference([share(guess[groups == g] == c, weight[groups == g]) for g in np.unique(groups)])
        for c in classes
    )


def opportunity(y, guess, weight, groups, classes):
    """How often a group's rows of a class are predicted as it; of two classes the second."""
    found = []
    for c in classes if len(classes) > 2 else classes[1:]:
        rates = []
        for g in np.unique(groups):
            own = (groups == g) & (y == c)
            rates.append(share(guess[own] == c, weight[own]))
        found.append(difference(rates))
    return max(found)


JUDGES = {"demographic_parity": parity, "equal_opportunity": opportunity}


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 8),
    n_classes=st.sampled_from([2, 4]),
    n_groups=st.integers(1, 3),
    metric=st.sampled_from(sorted(JUDGES)),
    kind=st.sampled_from(["none", "real", "zero"]),
)
def test_whole_curves(handmade, seed, n_rows, n_classes, n_groups, metric, kind):
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(n_classes), 2))
    parts = [handmade.random_part(rng, n_rows, rng.integers(1, 6)) for _ in pairs]
    classes = np.arange(n_classes)
    path = handmade.path(parts, classes, pairs if n_classes > 2 else None)
    y, groups = rng.choice(classes, n_rows), rng.choice(list("xyz")[:n_groups], n_rows)
    weight = np.append(rng.random(n_rows - 1), 0.5)
    if kind == "zero":
        weight[:-1] = np.round(weight[:-1])
    given = {} if kind == "none" else {"sample_weight": weight}
    v = np.ones(n_rows) if kind == "none" else weight
    curve = trace_curve(path, np.zeros((n_rows, 1)), y, metric, groups=groups, **given)
    assert not curve.greater_is_better
    for theta in rng.permutation(handmade.places(curve, path, rng, 40))[:60]:
        if path.sharp(theta):
            truth = JUDGES[metric](y, path.labels(theta), v, groups, classes)
            assert curve(theta) == pytest.approx(truth, abs=1e-12), theta


@pytest.fixture(scope="module")
def sample():
    X, y = make_classification(300, 5, flip_y=0.1, random_state=0)
    group = np.array(["north", "south", "west"])[np.digitize(X[:, 0], [-0.5, 0.8])]
    return X, y, group


def test_a_path_and_a_search(sample):
    X, y, group = sample
    path = wp.SVC(C=5.0, gamma=0.3).fit(X[:150], y[:150]).reweight(1.0 + np.arange(150) % 4)
    for metric, judge in JUDGES.items():
        curve = path.curve(X[150:], y[150:], metric, groups=group[150:])
        assert len(curve) > 2
        for theta in np.linspace(0.02, 0.98, 9):
            guess = path.model_at(theta).predict(X[150:])
            truth = judge(y[150:], guess, np.ones(150), group[150:], path.classes)
            assert curve(theta) == pytest.approx(truth, abs=1e-12)


def test_groups_are_split_into_folds(sample):
    X, y, group = sample
    folds = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    search = wp.PathSearchCV(
        wp.SVC(gamma=0.3), "demographic_parity", cv=folds, metric_params={"groups": group}
    )
    end = 1.0 + np.arange(300) % 3
    search.fit(X, y, start=np.ones(300), end=end)
    for (train, test), curve in zip(folds, search.fold_curves_, strict=True):
        path = wp.SVC(gamma=0.3).fit(X[train], y[train]).reweight(end[train])
        own = path.curve(X[test], y[test], "demographic_parity", groups=group[test])
        assert np.array_equal(curve.values, own.values)
    assert search.best_score_ == search.curve_.best.value
    wrong = wp.PathSearchCV(
        wp.SVC(), "demographic_parity", cv=folds, metric_params={"groups": group[:9]}
    )
    with pytest.raises(ValueError, match="groups must have one entry for each of the 300 rows"):
        wrong.fit(X, y, start=np.ones(300), end=end)


def test_influence_takes_groups_of_validation_rows(sample):
    X, y, group = sample
    model = wp.SVC(gamma=0.3).fit(X[:60], y[:60])
    found = wp.influence(
        model,
        X[60:],
        y[60:],
        "demographic_parity",
        indices=[3],
        metric_params={"groups": group[60:]},
    )
    truth = parity(y[60:], model.predict(X[60:]), np.ones(240), group[60:], model.classes_)
    assert found.metric_value == pytest.approx(truth, abs=1e-12)
    model.remove(3)
    after = parity(y[60:], model.predict(X[60:]), np.ones(240), group[60:], model.classes_)
    assert found.metric_value + found.values[0] == pytest.approx(after, abs=1e-12)


def test_bad_groups(sample):
    X, y, group = sample
    path = wp.SVC().fit(X[:50], y[:50]).reweight(np.arange(50) % 2 + 1)
    with pytest.raises(ValueError, match="'demographic_parity' needs groups=, the group of each"):
        path.curve(X, y, "demographic_parity")
    with pytest.raises(ValueError, match=r"groups must have shape \(300,\), one group for each"):
        path.curve(X, y, "demographic_parity", groups=group[:7])
    with pytest.raises(ValueError, match="takes no groups: it is for 'demographic_parity', 'eq"):
        path.curve(X, y, "accuracy", groups=group)
