"""scikit-learn's own checks of the linear program machines, and uses of them in scikit-learn."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import weightpath as wp

MODELS = [
    wp.L1SVC(),
    wp.L1SVC(C=0.1, kernel="rbf", class_weight="balanced", break_ties=True),
    wp.L1SVR(epsilon=0.0, C=0.3),
    wp.L1SVR(kernel="rbf"),
]


@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    check(estimator)


def test_in_a_search_over_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), wp.L1SVC())
    search = GridSearchCV(pipe, {"l1svc__C": [0.01, 0.1]}, cv=3).fit(X[::4], y[::4])
    assert search.best_score_ > 0.9
    assert np.count_nonzero(search.best_estimator_[-1].coef_) < 15


def test_a_precomputed_kernel_is_sliced_by_folds():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[:90]), y[:90]
    with_kernel = cross_val_score(wp.L1SVC(kernel="rbf", gamma=0.05), X, y, cv=3)
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    model = wp.L1SVC(kernel="precomputed")
    assert np.allclose(cross_val_score(model, np.exp(-0.05 * distance), y, cv=3), with_kernel)
