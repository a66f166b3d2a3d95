"""Problems beyond double precision are answered as well as can be, and never silently."""

import warnings

import numpy as np
import pytest

import weightpath as wp


def overlapping(scale):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=40) > 0, 1, -1)
    return scale * X, y, random.uniform(0.2, 1.0, 40)


@pytest.mark.parametrize("make", [wp.SVC, wp.SVR, wp.QuantileSVR])
def test_huge_features_are_not_silent(make):
    X, y, weight = overlapping(1e8)
    with pytest.warns(wp.PrecisionWarning, match="beyond double precision"):
        model = make(kernel="linear").fit(X, y)
    with pytest.warns(wp.PrecisionWarning, match="StandardScaler"):
        path = model.reweight(weight)
    # The certificate says the same, and the floor why.
    assert path.kkt_violation(1.0) > 1e-6
    assert path.rounding_floor(1.0) > 1e-7


@pytest.mark.parametrize("make", [wp.SVC, wp.SVR, wp.QuantileSVR])
def test_ordinary_features_are_silent(make):
    X, y, weight = overlapping(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = make(kernel="linear").fit(X, y).reweight(weight)
    assert path.kkt_violation() <= 1e-9


def test_huge_bounds_that_nobody_reaches_are_silent():
    random = np.random.default_rng(1)
    X = 1e8 * np.concatenate([random.normal(3, 0.3, (20, 2)), random.normal(-3, 0.3, (20, 2))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = wp.SVC(kernel="linear", C=1.0).fit(X, np.repeat([1, -1], 20))
    assert model.kkt_violation() <= 1e-9
