"""Bad input to fit: a helpful message, and the model stays as it was, to the last bit."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import weightpath as wp
from estimators.samples import Kind, fingerprint, indefinite, overlapping, random_weights, spoiled

N = 40


def lopsided(A, B):
    """Not symmetric."""
    return A @ B.T + A[:, :1]


def not_finite(A, B):
    return np.where(A @ B.T > 0, A @ B.T, np.nan)


def wrong_shape(A, B):
    return A


ONES = np.ones(N)
KERNEL_MATRIX = Kind("precomputed").training(overlapping(N)[0])

# What is given to SVC, what replaces the arguments of fit, the error and what its message says.
FITS = {
    "nan in X": ({}, {"X": spoiled(overlapping(N)[0], (3, 1), np.nan)}, ValueError, "NaN"),
    "infinity in X": (
        {},
        {"X": spoiled(overlapping(N)[0], (3, 1), np.inf)},
        ValueError,
        "infinity",
    ),
    "X of one dimension": ({}, {"X": np.ones(N)}, ValueError, "Expected 2D array"),
    "lengths": ({}, {"y": [0, 1]}, ValueError, "inconsistent numbers of samples"),
    "one class": ({}, {"y": np.zeros(N)}, ValueError, "at least two classes"),
    "regression": ({}, {"y": np.linspace(0, 1, N)}, ValueError, "Unknown label type"),
    "nan in weights": (
        {},
        {"sample_weight": spoiled(ONES, 7, np.nan)},
        ValueError,
        "sample_weight contains NaN or infinity, first at index 7",
    ),
    "infinite weight": (
        {},
        {"sample_weight": spoiled(ONES, 7, np.inf)},
        ValueError,
        "first at index 7",
    ),
    "negative weight": (
        {},
        {"sample_weight": spoiled(ONES, 7, -0.5)},
        ValueError,
        "sample_weight must not be negative, but index 7 is -0.5. Zero takes an instance out",
    ),
    "too few weights": ({}, {"sample_weight": ONES[1:]}, ValueError, "expected (40,)"),
    "table of weights": ({}, {"sample_weight": np.ones((N, 1))}, ValueError, "shape (40, 1)"),
    "words as weights": (
        {},
        {"sample_weight": ["heavy"] * N},
        ValueError,
        "sample_weight must be a number, or a list of 40 numbers",
    ),
    "class without weight": (
        {},
        {"sample_weight": overlapping(N)[1]},
        ValueError,
        "All weights of class 0 are zero: every class needs an instance of positive weight",
    ),
    "overflowing weights": ({"C": 1e308}, {"sample_weight": 100 * ONES}, ValueError, "overflows"),
    "nan in margins": ({}, {"margin": spoiled(ONES, 2, np.nan)}, ValueError, "margin contains NaN"),
    "too few margins": ({}, {"margin": ONES[1:]}, ValueError, "margin has shape (39,)"),
    "C zero": ({"C": 0.0}, {}, ValueError, "C must be a finite number > 0, got 0.0"),
    "C negative": ({"C": -1}, {}, ValueError, "C must be a finite number > 0, got -1"),
    "C nan": ({"C": np.nan}, {}, ValueError, "C must be a finite number > 0"),
    "C a word": ({"C": "big"}, {}, ValueError, "C must be a finite number > 0, got 'big'"),
    "C true": ({"C": True}, {}, ValueError, "C must be a finite number > 0, got True"),
    "unknown kernel": ({"kernel": "gauss"}, {}, ValueError, "Unknown kernel 'gauss'. Choose one"),
    "kernel a number": ({"kernel": 3}, {}, ValueError, "Unknown kernel 3"),
    "gamma negative": ({"gamma": -1.0}, {}, ValueError, "gamma must be a finite number > 0"),
    "gamma a word": ({"gamma": "wide"}, {}, ValueError, 'gamma must be "scale", "auto" or'),
    "degree": ({"kernel": "poly", "degree": 2.5}, {}, ValueError, "degree must be a whole number"),
    "coef0": (
        {"kernel": "poly", "coef0": np.inf},
        {},
        ValueError,
        "coef0 must be a finite number,",
    ),
    "ridge": ({"ridge": -1e-3}, {}, ValueError, "ridge must be a finite number >= 0"),
    "tol": ({"tol": 0}, {}, ValueError, "tol must be a finite number > 0"),
    "cache_size": ({"cache_size": -5}, {}, ValueError, "cache_size must be a finite number > 0"),
    "max_events": ({"max_events": 0}, {}, ValueError, "max_events must be a whole number >= 1"),
    "shape": (
        {"decision_function_shape": "pairs"},
        {},
        ValueError,
        'decision_function_shape must be "ovr" or "ovo"',
    ),
    "ties": (
        {"decision_function_shape": "ovo", "break_ties": True},
        {},
        ValueError,
        'break_ties=True needs decision_function_shape="ovr"',
    ),
    "class_weight a word": ({"class_weight": "even"}, {}, ValueError, 'dict, "balanced" or None'),
    "class_weight a list": ({"class_weight": [1, 2]}, {}, ValueError, 'dict, "balanced" or None'),
    "class_weight negative": (
        {"class_weight": {1: -2}},
        {},
        ValueError,
        "class_weight[1] must be a finite number >= 0",
    ),
    "class_weight zero": ({"class_weight": {1: 0}}, {}, ValueError, "All weights of class 1"),
    "class_weight of nobody": (
        {"class_weight": {"1": 2}},
        {},
        ValueError,
        "class_weight names '1', which is not among the classes [0, 1]",
    ),
    "matrix not square": (
        {"kernel": "precomputed"},
        {},
        ValueError,
        "precomputed kernel matrix must be a square matrix",
    ),
    "matrix not symmetric": (
        {"kernel": "precomputed"},
        {"X": spoiled(KERNEL_MATRIX, (2, 5), 0.9)},
        ValueError,
        "must be symmetric, but entry (2, 5) is 0.9",
    ),
    "matrix sparse": (
        {"kernel": "precomputed"},
        {"X": csr_matrix(KERNEL_MATRIX)},
        TypeError,
        "precomputed kernel matrix cannot be sparse",
    ),
    "matrix indefinite": (
        {"kernel": "precomputed"},
        {"X": KERNEL_MATRIX - 0.5},
        wp.KernelNotPSDError,
        "kernel precomputed is not positive semidefinite on this data",
    ),
    "sigmoid": (
        {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0},
        {},
        wp.KernelNotPSDError,
        "kernel sigmoid (gamma=1, coef0=-1) is not positive semidefinite on this data",
    ),
    "poly with negative constant": (
        {"kernel": "poly", "degree": 2, "coef0": -1.0},
        {},
        wp.KernelNotPSDError,
        "Use coef0 >= 0",
    ),
    "function indefinite": (
        {"kernel": indefinite},
        {},
        wp.KernelNotPSDError,
        "Repair the kernel function",
    ),
    "function not symmetric": (
        {"kernel": lopsided},
        {},
        ValueError,
        "The matrix of a kernel function must be symmetric",
    ),
    "function not finite": ({"kernel": not_finite}, {}, wp.ColumnError, "not finite"),
    "function of wrong shape": ({"kernel": wrong_shape}, {}, wp.ColumnError, "rows; expected ("),
    "linear kernel overflows": (
        {"kernel": "linear"},
        {"X": 1e200 * overlapping(N)[0]},
        ValueError,
        "linear kernel overflows on this data. Scale the features",
    ),
    "variance overflows": ({}, {"X": 1e200 * overlapping(N)[0]}, ValueError, "Scale the features"),
}


@pytest.mark.parametrize("case", FITS)
def test_fit(case):
    params, changed, error, message = FITS[case]
    X, y = overlapping(N)
    fresh, used = wp.SVC(**params), wp.SVC().fit(*overlapping(30, 3, n_features=4, seed=2))
    used.set_params(**params)
    for model in (fresh, used):
        before = fingerprint(model)
        with pytest.raises(error, match=re.escape(message)):
            model.fit(**{"X": X, "y": y, **changed})
        assert fingerprint(model) == before
    used.set_params(**wp.SVC().get_params())
    used.reweight(random_weights(30))
    used.predict(overlapping(30, 3, n_features=4)[0])


X, Y = overlapping(N)


@pytest.mark.parametrize(
    ("params", "matrix"),
    [
        ({"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}, X),
        ({"kernel": indefinite}, X),
        ({"kernel": "precomputed"}, KERNEL_MATRIX - 0.5),
        ({"kernel": "precomputed", "ridge": 0.1}, KERNEL_MATRIX - 0.5),
    ],
)
def test_the_ridge_that_the_message_names_is_enough(params, matrix):
    with pytest.raises(wp.KernelNotPSDError) as caught:
        wp.SVC(**params).fit(matrix, Y)
    ridge = float(re.search(r"ridge=([-+.e\d]+\d)", str(caught.value)).group(1))
    model = wp.SVC(**{**params, "ridge": ridge}).fit(matrix, Y)
    assert model.kkt_violation() < 1e-9
    assert model.reweight(random_weights(N)).kkt_violation() < 1e-9


def test_a_sigmoid_that_is_positive_semidefinite():
    model = wp.SVC(kernel="sigmoid", gamma=1e-3, coef0=0.0, ridge=1e-6).fit(X, Y)
    assert model.reweight(random_weights(N)).kkt_violation() < 1e-9


def test_single_precision_is_named():
    K = (X.astype(np.float32) @ X.astype(np.float32).T).astype(np.float32)
    with pytest.raises(wp.KernelNotPSDError, match="compute the kernel in double precision"):
        wp.SVC(kernel="precomputed").fit(K, Y)
