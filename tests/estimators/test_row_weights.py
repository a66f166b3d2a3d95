"""The passes over the weights of instances, against NumPy."""

import numpy as np
import pytest

import weightpath as wp
from weightpath.estimators._row_weights import (
    are_all_positive,
    are_all_weighted,
    changed_entries,
    changed_weights,
    class_products,
    class_totals,
    first_wrong,
    renumbered,
    signs_of,
    with_new_rows,
)
from weightpath.estimators.classification import HingeProblem


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([], (-1, -1)),
        ([0.0, 1.0], (-1, -1)),
        ([1.0, -0.0], (-1, -1)),
        ([1.0, -1e-320, -2.0], (-1, 1)),
        ([1.0, np.nan, -1.0, np.inf], (1, 2)),
        ([2.0, -np.inf], (1, 1)),
    ],
)
def test_the_first_wrong_weights(weight, expected):
    assert first_wrong(np.array(weight)) == expected


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([], True),
        ([1.0, 1e-320], True),
        ([1.0, 0.0], False),
        ([1.0, -1.0], False),
        ([1.0, np.inf], False),
        ([np.nan, 1.0], False),
    ],
)
def test_whether_all_are_positive(weight, expected):
    assert are_all_positive(np.array(weight)) is expected


@pytest.mark.parametrize("n", [1, 7, 8, 31, 32, 33, 100])
@pytest.mark.parametrize("share", [0.0, 0.02, 1.0])
def test_entries_that_differ_are_those_of_numpy(n, share):
    random = np.random.default_rng(n)
    weight, factor = random.uniform(0.0, 1.0, n), 10.0 ** random.uniform(-3, 3, n)
    weight[::5] = 0.0
    given = np.repeat(weight[None], 40, axis=0)
    given[random.random(given.shape) < share] *= 1.5
    given[3, -1] += 1.0
    given[4, 0] = -0.0 if weight[0] == 0.0 else weight[0]
    now = factor * weight
    offset, column, product, are_finite, is_negative = changed_entries(given, factor, now)
    path, expected = np.nonzero(given * factor != now)
    np.testing.assert_array_equal(np.repeat(np.arange(40), np.diff(offset)), path)
    np.testing.assert_array_equal(column, expected)
    np.testing.assert_array_equal(product, (given * factor)[path, expected])
    assert are_finite and not is_negative


@pytest.mark.parametrize("k", [0, 3, 31, 32, 39])
@pytest.mark.parametrize("now", [0.0, 2.0])
@pytest.mark.parametrize(
    ("wrong", "finite", "negative"),
    [
        (np.nan, False, False),
        (np.inf, False, False),
        (-np.inf, False, True),
        (-1.0, True, True),
        # Times its factor nothing is left of it but the sign.
        (-1e-320, True, True),
    ],
)
def test_entries_that_are_wrong_are_seen_wherever_they_are(k, now, wrong, finite, negative):
    given, factor = np.full((2, 40), now), np.full(40, 1e-10)
    before = given[0] * factor
    given[1, k] = wrong
    *_, are_finite, is_negative = changed_entries(given, factor, before)
    assert (are_finite, is_negative) == (finite, negative)


def test_no_paths_and_no_rows_have_no_entries_that_differ():
    for shape in ((0, 3), (3, 0)):
        offset, column, product, *_ = changed_entries(
            np.zeros(shape), np.ones(shape[1]), np.ones(shape[1])
        )
        np.testing.assert_array_equal(offset, np.zeros(shape[0] + 1))
        assert column.size == product.size == 0


def test_changes_are_those_of_numpy_bit_by_bit():
    random = np.random.default_rng(0)
    now, row = 10.0 ** random.uniform(-200, 200, 30), random.integers(30, size=500)
    change = now[row] * random.uniform(-1.0, 3.0, 500)
    change[::7] = -now[row[::7]] * (1.0 + 1e-16 * random.integers(-9, 9, size=72))
    rounding = 1e-15
    expected = now[row] + change
    expected[np.abs(expected) <= rounding * now[row]] = 0.0
    found, is_negative = changed_weights(now, row, change, rounding)
    np.testing.assert_array_equal(found, expected)
    assert (expected == 0.0).sum() > 30 and not is_negative
    change[3] = -1.1 * now[row[3]]
    assert changed_weights(now, row, change, rounding)[1]


def test_products_are_those_of_numpy_bit_by_bit():
    random = np.random.default_rng(0)
    label, factor = random.integers(3, size=500), np.array([1e-200, 0.3, 1e200])
    weight = 10.0 ** random.uniform(-200, 200, 500)
    with np.errstate(over="ignore"):
        expected = 0.1 * factor[label] * weight
    assert np.isinf(expected).any() and (expected == 0.0).any()
    np.testing.assert_array_equal(class_products(0.1, factor, label, weight), expected)


def test_any_labels_and_weights_that_lie_apart():
    weight = np.arange(12.0).reshape(4, 3)[:, 1]
    for kind in (np.int8, np.int32, np.uint8):
        label = np.array([1, 0, 0, 1], dtype=kind)
        found = class_products(2.0, np.array([1.0, 3.0]), label, weight)
        np.testing.assert_array_equal(found, [6.0, 8.0, 14.0, 60.0])
        np.testing.assert_array_equal(class_totals(label, weight, 2), [11.0, 11.0])


def test_totals_are_those_of_numpy_bit_by_bit():
    random = np.random.default_rng(0)
    label, weight = random.integers(4, size=500), random.uniform(size=500)
    expected = np.bincount(label, weight, minlength=5)
    np.testing.assert_array_equal(class_totals(label, weight, 5), expected)


def test_finite_weights_whose_sum_overflows_are_accepted_and_infinite_ones_are_not():
    labels = np.array([0, 0, 1])
    problem = HingeProblem(np.array([0, 1]), 1.0, np.ones(2), False)
    problem.check({"weight": np.array([1.5e308, 1.5e308, 1.0])}, labels)
    for wrong in (np.inf, np.nan):
        with pytest.raises(ValueError, match="overflows"):
            problem.check({"weight": np.array([1.0, wrong, 1.0])}, labels)
    with pytest.raises(ValueError, match="All weights of class 1 are zero"):
        problem.check({"weight": np.array([1.5e308, 1.5e308, 0.0])}, labels)


def test_a_product_that_overflows_is_refused_and_nothing_moves():
    toy = wp.datasets.make_toy(40, random_state=0)
    model = wp.SVC(C=10.0, gamma=toy.gamma).fit(toy.X, toy.y)
    before = model.dual_coef_.copy()
    with pytest.raises(ValueError, match="overflows"):
        model.reweight(np.full(40, 1.7e308))
    np.testing.assert_array_equal(model.dual_coef_, before)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([1.0, 0.0, 1e-300], True),
        ([0.0, 0.0, 1.0], False),
        ([1.0, 1.0, 0.0], False),
        ([1.0, np.inf, 1.0], False),
        ([np.nan, 1.0, 1.0], False),
    ],
)
def test_whether_all_classes_have_a_weight(weight, expected):
    assert are_all_weighted(np.array([0, 0, 1]), np.array(weight), 2) is expected


def test_a_class_without_rows_has_no_weight():
    assert not are_all_weighted(np.array([0, 0]), np.ones(2), 2)


def test_signs_of_some_rows():
    label, rows = np.array([2, 0, 1, 2, 2], dtype=np.int8), np.array([4, 0, 1, 2])
    np.testing.assert_array_equal(signs_of(label, rows, 2), [1.0, 1.0, -1.0, -1.0])


def test_new_rows_stand_where_their_residuals_say():
    beta, position = np.array([1.0, -2.0]), np.array([2, 1], dtype=np.int32)
    target = np.array([9.0, 9.0, 1.0, 1.0, -1.0])
    found = with_new_rows(
        beta, position, np.array([0.5, 0.25]), target, np.array([0.25, 0.75, 0.0]), 0.25, 1, 3
    )
    np.testing.assert_array_equal(found[0], [1.0, -2.0, 0.0, 0.0, 0.0])
    # A residual of zero belongs to both knots.
    np.testing.assert_array_equal(found[1], [2, 1, 3, 1, 1])
    np.testing.assert_array_equal(found[2], [0.5, 0.25, 0.5, 0.0, -1.25])
    assert found[1].dtype == np.int32


def test_numbers_after_the_first_rows_went():
    np.testing.assert_array_equal(renumbered(np.array([5, 2, 3]), 2), [3, 0, 1])
    assert renumbered(np.array([5, 1, 3]), 2) is None
    assert renumbered(np.array([], dtype=np.intp), 2).size == 0
