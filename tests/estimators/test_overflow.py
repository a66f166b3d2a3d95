"""Numbers at the end of the range of doubles: a right answer or a refusal, never a wrong one."""

import numpy as np
import pytest

import weightpath as wp

random = np.random.default_rng(0)
X, w = random.normal(size=(30, 2)), random.uniform(0.5, 2.0, 30)
y = X[:, 0] + 0.1 * random.normal(size=30)

TRAVELS = {
    "targets of SVR": lambda s: wp.SVR(C=s, epsilon=0.1 * s).fit(X, s * y).reweight(w),
    "targets of QuantileSVR": lambda s: wp.QuantileSVR(C=s).fit(X, s * y).reweight(w),
    "targets of Lasso": lambda s: wp.Lasso(alpha=0.01 * s).fit(X, s * y).move(alpha=0.005 * s),
    "weights of OneClassSVM": lambda s: (
        wp.OneClassSVM().fit(X, sample_weight=s * w).reweight(s / w)
    ),
    "features of OneClassSVM": lambda s: (
        wp.OneClassSVM(kernel="linear").fit((X + 5) * np.sqrt(s)).reweight(w)
    ),
    "features of SVC": lambda s: (
        wp.SVC(kernel="linear").fit(X * np.sqrt(s), np.sign(X[:, 1])).reweight(w)
    ),
    "C of SVC": lambda s: wp.SVC(C=s).fit(X, np.sign(y)).reweight(w),
}


@pytest.mark.parametrize("scale", [1e-100, 1e-50, 1e50, 1e100, 1e140])
@pytest.mark.parametrize("name", TRAVELS)
def test_far_from_one_but_right(name, scale):
    assert TRAVELS[name](scale).kkt_violation() < 1e-8


@pytest.mark.parametrize("scale", [1e160, 1e199, 1e201, 1e280])
@pytest.mark.parametrize("name", [name for name in TRAVELS if not name.endswith("of SVC")])
def test_refused_beyond(name, scale):
    with pytest.raises(ValueError, match="overflow"), np.errstate(all="ignore"):
        TRAVELS[name](scale)


@pytest.mark.parametrize("name", ["features of SVC", "C of SVC"])
def test_bounds_that_no_coefficient_reaches_do_no_harm(name):
    assert TRAVELS[name](1e280).kkt_violation() < 1e-8
