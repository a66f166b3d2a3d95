"""Curves of classifiers that decide equal votes by their decision values."""

import numpy as np
import pytest
import sklearn.metrics

import weightpath as wp
from weightpath.curves import tie_breaking


def noise(n_classes, n=90, seed=0):
    """Rows whose classes mean little, so that votes are often equal."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.integers(n_classes, size=n)
    return (
        X,
        y,
        rng.uniform(0.0, 3.0, n),
        rng.normal(size=(150, 2)),
        rng.integers(n_classes, size=150),
    )


SCORES = {
    "accuracy": sklearn.metrics.accuracy_score,
    "balanced_accuracy": sklearn.metrics.balanced_accuracy_score,
}


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("n_classes", [3, 5])
def test_curves_are_those_of_the_models(n_classes, metric, monkeypatch):
    # Several lots of rows.
    monkeypatch.setattr(tie_breaking, "TABLE", 1 << 15)
    X, y, weight, X_new, y_new = noise(n_classes)
    path, by_votes = (
        wp.SVC(gamma=2.0, break_ties=ties).fit(X, y).reweight(weight) for ties in (True, False)
    )
    curve, differ = path.curve(X_new, y_new, metric), 0
    apart = np.diff(curve.edges) > 1e-9
    middles = (0.5 * (curve.edges[1:] + curve.edges[:-1]))[apart]
    for theta in (0.0, *np.random.default_rng(1).random(25), *middles[::7], 1.0):
        told = path.model_at(theta).predict(X_new)
        np.testing.assert_array_equal(path.predict(X_new, theta), told)
        assert curve(theta) == pytest.approx(SCORES[metric](y_new, told), abs=1e-12)
        differ += np.sum(told != by_votes.predict(X_new, theta))
    assert differ > 20


def test_two_classes_have_no_ties():
    X, y, weight, X_new, y_new = noise(2)
    one, other = (
        wp.SVC(gamma=2.0, break_ties=ties).fit(X, y).reweight(weight) for ties in (False, True)
    )
    np.testing.assert_array_equal(
        one.curve(X_new, y_new, "accuracy").values, other.curve(X_new, y_new, "accuracy").values
    )


def test_equal_confidences_are_decided_for_the_first():
    # No class has a function: all values are zero, and the last of each pair has its vote.
    states = np.zeros((1, 12), dtype=np.int32)
    states[0, :3] = 1
    for a, b in ((0, 1), (0, 2), (1, 2)):
        states[0, 3 + 3 * a + b] = 1
    assert tie_breaking._decide(states, 3).tolist() == [0]
