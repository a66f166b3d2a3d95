import numpy as np

from weightpath.problems import position as positions

KNOTS, INTERVALS = np.arange(4), np.arange(5)


def test_positions_alternate_between_intervals_and_knots():
    free, fixed = positions.free_in(INTERVALS), positions.at_knot(KNOTS)
    assert sorted([*free, *fixed]) == list(range(positions.n_positions(4)))
    assert positions.is_free(free).all() and not positions.is_free(fixed).any()
    assert positions.is_at_knot(fixed).all() and not positions.is_at_knot(free).any()
    np.testing.assert_array_equal(positions.interval_of(free), INTERVALS)
    np.testing.assert_array_equal(positions.knot_of(fixed), KNOTS)


def test_a_step_leads_to_the_neighbour():
    fixed = positions.at_knot(KNOTS)
    np.testing.assert_array_equal(positions.interval_of(fixed - 1), KNOTS)
    np.testing.assert_array_equal(positions.interval_of(fixed + 1), KNOTS + 1)


def test_levels_bound_the_residual():
    fixed, free = positions.at_knot(KNOTS), positions.free_in(INTERVALS)
    np.testing.assert_array_equal(positions.lower_level(fixed), KNOTS)
    np.testing.assert_array_equal(positions.upper_level(fixed), KNOTS + 1)
    np.testing.assert_array_equal(positions.lower_level(free), positions.upper_level(free))


def test_the_knot_below_is_always_a_knot():
    below = positions.knot_below(np.arange(positions.n_positions(4)), 4)
    assert below.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
