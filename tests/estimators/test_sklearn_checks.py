"""scikit-learn's own checks of an estimator, with no exceptions."""

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

import weightpath as wp
from estimators.samples import plain_rbf


class PrecomputedSVC(ClassifierMixin, BaseEstimator):
    """A precomputed kernel behind ordinary features: the checks' own matrices are no kernels."""

    def fit(self, X, y, sample_weight=None):
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.model_ = wp.SVC(kernel="precomputed").fit(X @ X.T, y, sample_weight)
        self.X_, self.classes_ = X, self.model_.classes_
        return self

    def _kernel(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.X_.T

    def predict(self, X):
        K = self._kernel(X)
        return self.model_.predict(K)

    def decision_function(self, X):
        K = self._kernel(X)
        return self.model_.decision_function(K)


# scikit-learn 1.6 has 49 checks for a model, later versions more.
MOST_OF_THE_CHECKS = 48 if sklearn.__version__.startswith("1.6.") else 50

MODELS = [
    wp.SVC(),
    wp.SVC(kernel="linear"),
    wp.SVC(kernel="poly", degree=2, coef0=1.0),
    wp.SVC(kernel=plain_rbf),
    wp.SVC(class_weight="balanced"),
    wp.SVC(C=10.0, gamma="auto", break_ties=True),
    wp.SVR(),
    wp.SVR(kernel="linear"),
    wp.SVR(kernel=plain_rbf, epsilon=0.0),
    wp.QuantileSVR(),
    wp.QuantileSVR(kernel="linear", quantile=0.2),
    wp.OneClassSVM(),
    wp.OneClassSVM(kernel="linear", nu=0.2),
    wp.OneClassSVM(nu=1.0),
    wp.NuSVC(nu=0.34),
    wp.NuSVC(nu=0.4, kernel=plain_rbf, class_weight="balanced", break_ties=True),
    wp.NuSVR(),
    wp.NuSVR(nu=0.2, kernel="linear"),
    PrecomputedSVC(),
]


def expected_failures(estimator):
    """No nu is feasible where one class has ten million times the weight of the other."""
    if isinstance(estimator, wp.NuSVC):
        return {"check_class_weight_classifiers": "its factors of classes leave no feasible nu"}
    return {}


@parametrize_with_checks(MODELS, expected_failed_checks=expected_failures)
def test_estimator_check(estimator, check):
    check(estimator)


def test_weight_two_equals_two_copies_is_among_the_checks():
    for model in MODELS[:-1]:
        names = {
            getattr(check, "func", check).__name__ for _, check in estimator_checks_generator(model)
        }
        assert "check_sample_weight_equivalence_on_dense_data" in names
        assert "check_sample_weight_equivalence_on_sparse_data" in names
        assert len(names) > MOST_OF_THE_CHECKS
