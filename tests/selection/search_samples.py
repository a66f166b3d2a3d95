"""Data for searches, and fresh fits to judge them."""

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

import weightpath as wp

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)
REGRESSION_FOLDS = KFold(3, shuffle=True, random_state=0)


def toy(n=80, seed=0):
    """Two classes in the plane whose cheaper half comes in along the path."""
    data = wp.datasets.make_toy(n, random_state=seed)
    return data.X, data.y, data.w_old, data.w_new


def noisy_line(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    return X, y, np.ones(n), rng.uniform(0, 2, n)


def fresh_value(estimator, X, y, weight, train, test, loss, validation_weight=None):
    """The loss on the test rows of a model that is fitted from nothing at these weights."""
    model = estimator.fit(X[train], y[train], sample_weight=weight[train])
    share = None if validation_weight is None else validation_weight[test]
    return np.average(loss(y[test], model.predict(X[test])), weights=share)


def wrong(truth, predicted):
    return (truth != predicted).astype(float)


def squared(truth, predicted):
    return (truth - predicted) ** 2


def same_curves(first, second):
    """Whether two lists of curves are equal to the last bit."""
    return len(first) == len(second) and all(
        a.edges.tobytes() == b.edges.tobytes()
        and a.coefficients.tobytes() == b.coefficients.tobytes()
        and a.point_theta.tobytes() == b.point_theta.tobytes()
        and a.point_values.tobytes() == b.point_values.tobytes()
        for a, b in zip(first, second, strict=True)
    )
