"""Where LIBSVM fails, the fit starts elsewhere; nothing of it is seen."""

import numpy as np
import pytest
from sklearn import svm

import weightpath as wp
from estimators.samples import overlapping
from weightpath.estimators.first_guess import guess_classifier, guess_one_class, guess_regressor
from weightpath.kernels import Kernel

# Kernel values of 1e40 overflow single precision, in which LIBSVM keeps them.
LARGE = 1e20

MODELS = {
    "classifier": (wp.SVC, svm.SVC),
    "regression": (wp.SVR, svm.SVR),
    "quantiles": (wp.QuantileSVR, svm.SVR),
}


@pytest.mark.parametrize("name", MODELS)
def test_fits_that_libsvm_refuses(name):
    ours, theirs = MODELS[name]
    X, y = overlapping(40)
    y = y.astype(float)
    with pytest.raises(ValueError, match="dual coefficients or intercepts are not finite"):
        theirs(kernel="linear", C=LARGE**-2).fit(LARGE * X, y)
    # The same problem in other units: coefficients are smaller by the square of the factor.
    large = ours(kernel="linear", C=LARGE**-2).fit(LARGE * X, y)
    plain = ours(kernel="linear", C=1.0).fit(X, y)
    scores = "decision_function" if name == "classifier" else "predict"
    found, expected = (getattr(model, scores) for model in (large, plain))
    np.testing.assert_allclose(found(LARGE * X), expected(X), rtol=1e-9, atol=1e-9)


def test_guesses_that_fail_are_within_bounds():
    X, y = overlapping(20)
    weight = np.linspace(0.0, 1.0, 20)
    kernel = Kernel("linear")
    sign = np.where(y == 1, 1.0, -1.0)
    beta, bias = guess_classifier(kernel, sign, weight, LARGE * X, 1e-3, 10.0)
    assert not beta.any() and bias == 0.0
    beta, bias = guess_regressor(kernel, sign + 5.0, weight, 0.1, LARGE * X, 1e-3, 10.0)
    assert not beta.any() and bias == 5.0
    beta, bias = guess_one_class(kernel, weight, 0.3, LARGE * X, 1e-3, 10.0)
    assert beta.sum() == pytest.approx(0.3 * weight.sum())
    assert (beta >= 0).all() and (beta <= weight).all() and bias == 0.0
