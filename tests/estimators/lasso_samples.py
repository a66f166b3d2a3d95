"""Data for the tests of the lasso, and its objective and optimality from first principles."""

import numpy as np


def regression(n, p, seed=0, mean=2.0, dtype=float):
    """Return features with unequal scales and a mean, targets and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, p) + mean
    coef = np.zeros(p)
    coef[: min(4, p)] = [2.0, -1.0, 0.5, 1.5][: min(4, p)]
    y = X @ coef + rng.normal(size=n)
    return X.astype(dtype), y, rng.uniform(0.2, 2.0, n)


def objective(model, X, y, weight=None):
    """Return the objective of a fitted model, of this library or of scikit-learn."""
    weight = np.ones(len(y)) if weight is None else weight
    error = y - X @ model.coef_ - model.intercept_
    penalty = getattr(model, "penalty_", getattr(model, "alpha", None))
    ridge = getattr(model, "ridge", 0.0)
    return (
        0.5 * np.average(error**2, weights=weight)
        + np.sum(penalty * np.abs(model.coef_))
        + 0.5 * ridge * np.sum(model.coef_**2)
    )


def violation(coef, intercept, X, y, weight, penalty, ridge=0.0, has_intercept=True):
    """Return the largest violation of the optimality conditions, by loops over the definition."""
    share = weight / weight.sum()
    error = y - X @ coef - intercept
    worst = abs(share @ error) if has_intercept else 0.0
    for j in range(X.shape[1]):
        r = np.sum(share * X[:, j] * error) - ridge * coef[j]
        if coef[j] == 0:
            worst = max(worst, abs(r) - penalty[j])
        else:
            worst = max(worst, abs(r - np.sign(coef[j]) * penalty[j]))
    return worst


def model_violation(model, X, y, weight=None):
    """Return the violation of a fitted model."""
    weight = np.ones(len(y)) if weight is None else weight
    return violation(
        model.coef_,
        model.intercept_,
        X,
        y,
        weight,
        model.penalty_,
        model.ridge,
        model.fit_intercept,
    )
