"""Bad input to a fitted model: a helpful message, and it stays as it was, to the last bit."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import weightpath as wp
from estimators.samples import Kind, fingerprint, overlapping, random_weights, spoiled

N = 40
ONES = np.ones(N)
X, Y = overlapping(N)
CHANGES = {
    "nothing": (lambda m: m.move(), TypeError, "move() needs something to move: C, sample_weight"),
    "unknown target": (
        lambda m: m.move(gamma=1.0, C=2.0),
        TypeError,
        "unexpected keyword argument 'gamma'",
    ),
    "no value": (lambda m: m.reweight(None), ValueError, "sample_weight is None: give the value"),
    "C": (lambda m: m.move(C=-1.0), ValueError, "C must be a finite number > 0"),
    "C an array": (lambda m: m.move(C=ONES), ValueError, "C must be a finite number > 0"),
    "nan": (lambda m: m.reweight(spoiled(ONES, 1, np.nan)), ValueError, "NaN or infinity"),
    "negative": (lambda m: m.reweight(spoiled(ONES, 1, -1)), ValueError, "index 1 is -1"),
    "length": (lambda m: m.reweight(ONES[1:]), ValueError, "expected (40,): one entry for each"),
    "class to zero": (lambda m: m.reweight(1 - Y), ValueError, "All weights of class 1 are zero"),
    "all to zero": (lambda m: m.reweight(0 * Y), ValueError, "All weights of class 0 are zero"),
    "margin": (lambda m: m.move(margin=ONES[1:]), ValueError, "margin has shape"),
    "joint": (
        lambda m: m.move(C=3.0, sample_weight=ONES, margin=np.inf),
        ValueError,
        "margin contains NaN or infinity",
    ),
    "overflow": (lambda m: m.move(C=1e308, sample_weight=100 * ONES), ValueError, "overflows"),
    "add features": (
        lambda m: m.add(X[:, :2], Y),
        ValueError,
        "X has 2 features, but SVC is expec",
    ),
    "add one dimension": (lambda m: m.add(X[0], [0]), ValueError, "Expected 2D array"),
    "add nothing": (lambda m: m.add(X[:0], Y[:0]), ValueError, "0 sample(s)"),
    "add nan": (lambda m: m.add(X * np.nan, Y), ValueError, "NaN"),
    "add label": (
        lambda m: m.add(X[:2], [0, 7]),
        ValueError,
        "y contains the label 7, which the model does not know; its classes are [0, 1]",
    ),
    "add word": (lambda m: m.add(X[:1], ["1"]), ValueError, "the label '1', which the model does"),
    "add lengths": (lambda m: m.add(X[:2], [0]), ValueError, "y has shape (1,), expected (2,)"),
    "add weights": (lambda m: m.add(X[:2], [0, 1], [1.0]), ValueError, "expected (2,)"),
    "add negative": (lambda m: m.add(X[:2], [0, 1], [1.0, -1.0]), ValueError, "negative"),
    "add margin": (lambda m: m.add(X[:1], [0], margin=[1, 2]), ValueError, "margin has shape"),
    "add infinite": (lambda m: m.add(X[:1] + np.inf, [0]), ValueError, "infinity"),
    "remove outside": (
        lambda m: m.remove([3, 40]),
        IndexError,
        "There is no training instance 40: the rows are 0 to 39",
    ),
    "remove before": (lambda m: m.remove(-41), IndexError, "no training instance -41"),
    "remove nothing": (lambda m: m.remove([]), ValueError, "at least one index"),
    "remove part": (lambda m: m.remove(1.5), ValueError, "list of whole numbers, got 1.5"),
    "remove mask": (lambda m: m.remove(Y == 0), ValueError, "np.flatnonzero(mask)"),
    "remove class": (
        lambda m: m.remove(np.flatnonzero(Y == 0)),
        ValueError,
        "No instance of class 0 is left: every class needs an instance of positive weight",
    ),
    "remove all": (lambda m: m.remove(range(N)), ValueError, "No instance of class 0 is left"),
    "slide drop": (
        lambda m: m.slide(X, Y, drop=41),
        ValueError,
        "drop must be a whole number from",
    ),
    "slide part": (lambda m: m.slide(X, Y, drop=1.0), ValueError, "whole number from 0 to 40"),
    "slide weights": (
        lambda m: m.slide(X[:2], Y[:2], drop=3, sample_weight=ONES),
        ValueError,
        "expected (39,)",
    ),
    "slide class": (
        lambda m: m.slide(X[Y == 1], Y[Y == 1], drop=N),
        ValueError,
        "No instance of class 0 is left",
    ),
    "predict features": (lambda m: m.predict(X[:, :1]), ValueError, "X has 1 features"),
    "predict nan": (lambda m: m.decision_function(X * np.nan), ValueError, "NaN"),
}


@pytest.mark.parametrize("case", CHANGES)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_change(case, class_weight):
    change, error, message = CHANGES[case]
    model = wp.SVC(class_weight=class_weight).fit(X, Y, random_weights(N))
    before, values = fingerprint(model), model.decision_function(X)
    with pytest.raises(error, match=re.escape(message)):
        change(model)
    assert fingerprint(model) == before
    assert (model.decision_function(X) == values).all()
    model.reweight(ONES)
    model.remove([0])


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.reweight(ONES),
        lambda m: m.move(C=1.0),
        lambda m: m.add(X, Y),
        lambda m: m.remove([0]),
        lambda m: m.slide(X, Y, drop=1),
        lambda m: m.predict(X),
        lambda m: m.decision_function(X),
        lambda m: m.kkt_violation(),
        lambda m: m.coef_,
    ],
)
def test_before_the_fit(call):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        call(wp.SVC(kernel="linear"))


def test_new_rows_of_a_precomputed_kernel():
    kind = Kind("precomputed")
    model = kind.model().fit(kind.training(X), Y)
    rows = kind.arrivals(X[:2] + 1.0, X)
    cases = [
        (rows[:, :-1], ValueError, "expected 42 columns, got 41"),
        (
            spoiled(rows, (0, 41), 0.9),
            ValueError,
            "kernel matrix of the new rows, must be symmetric",
        ),
        (spoiled(rows, (0, 40), -3.0), wp.KernelNotPSDError, "precomputed is not positive"),
        (spoiled(rows, (0, 0), np.nan), ValueError, "NaN"),
    ]
    before = fingerprint(model)
    for bad, error, message in cases:
        with pytest.raises(error, match=re.escape(message)):
            model.add(bad, [0, 1])
        assert fingerprint(model) == before
