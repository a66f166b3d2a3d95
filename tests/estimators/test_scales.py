"""Features, targets and weights over many orders of magnitude, against what does not depend on it.

A problem in other units has the same solution in other units: the plain one is the judge.
"""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.svm import SVC

import weightpath as wp

# Relative to the largest target or level.
RIGHT = 1e-6
CERTIFIED = 1e-8


def blobs():
    """Separable classes, no more than a few instances on the margin."""
    X, y = make_blobs(60, centers=[[-2.0, 0.0], [2.0, 1.0]], cluster_std=0.7, random_state=0)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    return X, y, weight


def widest_gap(X, y):
    """Decision values of the widest gap, by scikit-learn."""
    return SVC(kernel="linear", C=1e6, tol=1e-10).fit(X, y).decision_function(X)


@pytest.mark.parametrize("power", range(9))
def test_separable_classes_with_large_features(power):
    """At s = 1e5 a path of zeros was called complete; at 3e5 a fit was off by 15 %."""
    X, y, weight = blobs()
    for s in (10.0**power, 3.0 * 10.0**power):
        model = wp.SVC(kernel="linear").fit(s * X, y)
        assert model.kkt_violation() < CERTIFIED
        path = model.reweight(weight)
        assert path.theta[-1] == 1.0 and path.kkt_violation() < CERTIFIED
        if s >= 1e2:
            # No bound is reached: the widest gap, whatever the weights.
            plain = widest_gap(X, y)
            for theta in (0.0, 0.5, 1.0):
                values = path.decision_function(s * X, theta)
                assert values == pytest.approx(plain, rel=1e-5, abs=1e-5)
        twin = wp.SVC(kernel="linear", C=s**2).fit(X, y)
        ours = path.model_at(0.0).decision_function(s * X)
        assert ours == pytest.approx(twin.decision_function(X), abs=RIGHT)


@pytest.mark.parametrize("power", range(0, 13, 2))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_tiny_targets(kernel, power):
    size = 10.0**-power
    X, _, weight = blobs()
    z = X @ [1.0, -2.0] + np.sin(3.0 * X[:, 0])
    options = {"kernel": kernel, "gamma": 0.5}
    plain = wp.SVR(C=1.0, epsilon=0.1, **options).fit(X, z)
    tiny = wp.SVR(C=size, epsilon=0.1 * size, **options).fit(X, size * z)
    assert tiny.kkt_violation() < CERTIFIED
    there, here = plain.reweight(weight), tiny.reweight(weight)
    assert here.kkt_violation() < CERTIFIED
    scale = np.abs(z).max()
    for theta in (0.0, 0.3, 1.0):
        expected = there.decision_function(X, theta)
        found = here.decision_function(X, theta) / size
        assert np.abs(found - expected).max() <= RIGHT * scale
    # Bounds that are larger than any coefficient by many orders make no difference.
    wide = wp.SVR(C=1e6, epsilon=0.1 * size, kernel="rbf", gamma=0.5).fit(X, size * z)
    wider = wp.SVR(C=1e6 / size, epsilon=0.1, kernel="rbf", gamma=0.5).fit(X, z)
    assert wide.kkt_violation() < CERTIFIED
    gap = wide.predict(X) / size - wider.predict(X)
    assert np.abs(gap).max() <= RIGHT * scale


@pytest.mark.parametrize("power", range(11, 16))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_huge_weight_among_ones(kernel, power):
    """An instance that must not be inside: any weight beyond its coefficient is the same."""
    X, y, _ = blobs()
    y = y.copy()
    y[:3] = 1 - y[:3]
    huge, large = np.ones(60), np.ones(60)
    huge[0], large[0] = 10.0**power, 1e4
    options = {"kernel": kernel, "gamma": 0.5}
    expected = wp.SVC(**options).fit(X, y, sample_weight=large).decision_function(X)
    fitted = wp.SVC(**options).fit(X, y, sample_weight=huge)
    assert fitted.kkt_violation() < CERTIFIED
    assert fitted.decision_function(X) == pytest.approx(expected, abs=RIGHT)
    moved = wp.SVC(**options).fit(X, y)
    before = moved.decision_function(X)
    path = moved.reweight(huge)
    assert path.kkt_violation() < CERTIFIED
    assert path.decision_function(X, 1.0) == pytest.approx(expected, abs=RIGHT)
    back = moved.reweight(np.ones(60))
    assert back.kkt_violation() < CERTIFIED
    assert moved.decision_function(X) == pytest.approx(before, abs=RIGHT)
    assert back.decision_function(X, 1.0) == pytest.approx(before, abs=RIGHT)
