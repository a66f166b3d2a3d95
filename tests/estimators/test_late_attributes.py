"""What a model shows is made when it is read, and costs nothing before."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import weightpath as wp
from estimators.samples import overlapping, random_weights, shown_by
from weightpath.kernels import Kernel

N = 50
X, Y = overlapping(N)


def fitted(**params):
    return wp.SVC(**{"C": 3.0, "gamma": 0.4, **params}).fit(X, Y)


def refuse(*args, **kwargs):
    raise AssertionError("A product with the kernel that nobody has asked for.")


def test_a_model_on_a_path_needs_no_product_with_the_kernel(monkeypatch):
    path = fitted().reweight(random_weights(N, 1))
    with monkeypatch.context() as patch:
        for name in ("product", "between"):
            patch.setattr(Kernel, name, refuse)
        model = path.model_at(0.4)
        assert model.support_.size == model.dual_coef_.shape[1]
    assert model.kkt_violation() < 1e-10
    stair, state = model.subproblems_[0].stair, model.subproblems_[0].state
    values = model.decision_function(X)
    np.testing.assert_allclose(state.residual, stair.target - values, atol=1e-10)


def test_a_model_does_not_keep_its_path_alive():
    path = fitted().reweight(random_weights(N, 1))
    record, model = weakref.ref(path.parts[0].record), path.model_at(0.4)
    del path
    gc.collect()
    assert record() is None
    model.reweight(np.ones(N))
    assert model.kkt_violation() < 1e-10


def test_attributes_follow_the_model():
    model = fitted()
    before = model.dual_coef_
    assert model.dual_coef_ is before
    model.reweight(random_weights(N, 1))
    assert model.dual_coef_.shape != before.shape or (model.dual_coef_ != before).any()
    assert (model.weights_ == model.quantities_["weight"]).all()


def test_attributes_are_listed_copied_and_checked():
    model = fitted()
    assert {"support_", "dual_coef_", "classes_", "weights_", "n_features_in_"} <= set(
        shown_by(model)
    )
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.dual_coef_ == model.dual_coef_).all()
    check_is_fitted(model, ["support_", "intercept_"])
    assert not hasattr(wp.SVC(), "support_")
    with pytest.raises(NotFittedError):
        check_is_fitted(wp.SVC())


def test_what_is_not_there_says_so():
    model = fitted()
    with pytest.raises(AttributeError, match="no attribute 'support'"):
        _ = model.support
    with pytest.raises(AttributeError, match='coef_ exists only with kernel="linear"'):
        _ = model.coef_
    with pytest.raises(AttributeError, match="feature_names_in_"):
        _ = model.feature_names_in_
