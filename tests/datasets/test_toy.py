"""The artificial data against the paper's description of it."""

import numpy as np
import pytest

from weightpath.datasets import make_toy

EXPECTED = {
    (1, 1): ((1, 0), (1, 0.5)),
    (1, 2): ((0, 0), (0.5, 0.5)),
    (-1, 1): ((0, 1), (1, 0.5)),
    (-1, 2): ((1, 1), (0.5, 0.5)),
}


def test_groups_have_the_means_and_covariances_of_the_paper():
    toy = make_toy(80_000, random_state=0)
    drawn = toy.X * toy.scale + toy.lowest
    for (label, cost), (mean, variance) in EXPECTED.items():
        rows = drawn[(toy.y == label) & (toy.cost == cost)]
        assert len(rows) == 20_000
        assert rows.mean(axis=0) == pytest.approx(mean, abs=0.03)
        assert np.cov(rows.T) == pytest.approx(np.diag(variance), abs=0.03)


def test_scaled_to_the_unit_square():
    toy = make_toy(400, random_state=1)
    assert toy.X.min(axis=0).tolist() == [0, 0] and toy.X.max(axis=0).tolist() == [1, 1]


def test_weights_of_the_path():
    toy = make_toy(8, random_state=0)
    assert toy.C_old.tolist() == [0, 0, 10, 10, 0, 0, 10, 10]
    assert toy.C_new.tolist() == [10] * 8
    assert np.array_equal(toy.C * toy.w_old, toy.C_old)
    assert np.array_equal(toy.C * toy.w_new, toy.C_new)
    assert toy.gamma == 0.5
    assert toy.y.tolist() == [1, 1, 1, 1, -1, -1, -1, -1]


def test_random_state_decides():
    first, second, other = (make_toy(40, random_state=seed) for seed in (5, 5, 6))
    assert np.array_equal(first.X, second.X)
    assert not np.array_equal(first.X, other.X)


def test_validation_rows_share_the_scale():
    train = make_toy(400, random_state=0)
    again = make_toy(400, random_state=0, like=train)
    assert np.array_equal(again.X, train.X)
    validation = make_toy(1000, random_state=1, like=train)
    assert np.array_equal(validation.lowest, train.lowest)
    assert validation.X.mean(axis=0) == pytest.approx(train.X.mean(axis=0), abs=0.05)


@pytest.mark.parametrize("n", [0, -4, 3, 402])
def test_n_is_a_multiple_of_four(n):
    with pytest.raises(ValueError, match="multiple of 4"):
        make_toy(n)
