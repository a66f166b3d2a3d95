"""Where a path is cut into legs, and how its ends keep their digits."""

import numpy as np
import pytest

from weightpath import tolerances
from weightpath.engine.legs import is_one_leg, legs_of
from weightpath.problems import hinge_staircase, tube_staircase

N = 6
SIGN = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
KAPPA = np.ones(N)


def hinge(weight):
    return hinge_staircase(SIGN, np.broadcast_to(np.asarray(weight, dtype=float), (N,)).copy())


MOVES = {
    "plain": (1.0, 2.0),
    "up": (1.0, 1e6),
    "down": (1e6, 1.0),
    "huge": (1e15, 1.0),
    "vanishing": (1e12, 0.0),
    "appearing": (0.0, 1e12),
    "far": (1e-9, 1e15),
}


def cut(name):
    first, last = (hinge(weight) for weight in MOVES[name])
    return first, last, legs_of(first, last, KAPPA, 1.0)


@pytest.mark.parametrize("name", MOVES)
def test_edges_increase_from_end_to_end(name):
    _, _, edges = cut(name)
    assert edges[0] == (0.0, 1.0) and edges[-1] == (1.0, 0.0)
    theta, rest = np.array(edges).T
    # Close to one, theta has no digits left to tell edges apart; their distances from there have.
    assert (np.diff(theta) >= 0).all() and (np.diff(rest) <= 0).all()
    assert ((np.diff(theta) > 0) | (np.diff(rest) < 0)).all()
    assert theta + rest == pytest.approx(1.0, abs=4e-16)


@pytest.mark.parametrize("name", MOVES)
def test_legs_add_up_to_the_path(name):
    _, _, edges = cut(name)
    theta, rest = np.array(edges).T
    length = np.where(theta[:-1] > 0.5, rest[:-1] - rest[1:], np.diff(theta))
    assert (length > 0).all()
    assert length.sum() == pytest.approx(1.0, abs=1e-15)


def test_a_small_move_is_one_leg():
    assert cut("plain")[2] == [(0.0, 1.0), (1.0, 0.0)]


@pytest.mark.parametrize("name", ["up", "down", "huge", "far"])
def test_knots_change_by_no_more_than_a_factor(name):
    first, last, edges = cut(name)
    scale = [first.between(last, *edge).knot_scale for edge in edges[1:-1]]
    scale = np.array([first.knot_scale, *scale, last.knot_scale])
    ratio = np.maximum(scale[1:] / scale[:-1], scale[:-1] / scale[1:])
    assert len(edges) > 6
    assert ratio.max() <= tolerances.LEG_GROWTH * (1 + 1e-9)


def test_targets_are_cut_likewise():
    small, large = (tube_staircase(c * SIGN, np.ones(N), 0.0) for c in (1e-6, 1.0))
    edges = legs_of(small, large, KAPPA, 1.0)
    scale = [small.between(large, *edge).residual_scale for edge in edges]
    assert len(edges) == 7
    assert np.diff(np.log10(scale)).max() <= 1.0 + 1e-9


def test_the_end_is_approached_in_steps_where_a_bound_vanishes():
    """One bound of twelve orders falls to nothing, beside a larger one that stays."""
    weight = np.full(N, 1e13)
    other = weight.copy()
    weight[0], other[0] = 1e12, 0.0
    first, last = hinge(weight), hinge(other)
    rest = np.array(legs_of(first, last, KAPPA, 1.0))[:, 1]
    steps = [tolerances.LEG_STRETCH**-k for k in range(5)]
    assert rest == pytest.approx([*steps, 0.0], rel=1e-12)
    theta = np.array(legs_of(last, first, KAPPA, 1.0))[:, 0]
    assert theta == pytest.approx([0.0, *steps[::-1]], rel=1e-12)


def test_a_bound_that_stays_where_it_is_does_not_count():
    weight = np.full(N, 1e13)
    other = weight.copy()
    weight[0], other[0] = 1.0, 0.0
    assert len(legs_of(hinge(weight), hinge(other), KAPPA, 1.0)) == 2


@pytest.mark.parametrize("name", MOVES)
def test_what_is_clearly_one_leg_is_one(name):
    for scale in (1.0, 1e-9, 1e9):
        for first, last in (cut(name)[:2], cut(name)[1::-1]):
            if is_one_leg(first, last, scale, 1.0):
                assert len(legs_of(first, last, scale * KAPPA, 1.0)) == 2
    assert is_one_leg(*cut("plain")[:2], 1.0, 1.0)
    assert not is_one_leg(*cut("plain")[:2], 1e3, 1.0)


@pytest.mark.parametrize(("width", "is_one"), [(9.0, True), (11.0, False)])
def test_scales_that_change_a_lot_are_not_clearly_one_leg(width, is_one):
    first, last = hinge_staircase(SIGN, KAPPA), hinge_staircase(SIGN, KAPPA, width)
    assert is_one_leg(first, last, 1.0, 1.0) == is_one
    assert is_one_leg(last, first, 1.0, 1.0) == is_one
