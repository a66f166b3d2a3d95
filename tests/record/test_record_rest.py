"""Records that keep the distance of their breakpoints from theta = 1."""

import numpy as np
import pytest

from weightpath.record.joining import concatenate, reverse
from weightpath.record.record import LOOSE, RESTS, SHORT, UNIQUE, Record


def steep(theta, freedom=None, rest=None):
    """A record with one member that moves at the speed of one, from zero."""
    theta = np.asarray(theta, dtype=float)
    n = theta.size - 1
    return Record(
        theta=theta,
        bias=theta[:-1],
        bias_slope=np.ones(n),
        offset=np.arange(n + 1),
        member=np.zeros(n),
        value=theta[:-1],
        slope=np.ones(n),
        event_theta=[],
        event_index=[],
        event_from=[],
        event_to=[],
        event_count=np.zeros(n),
        initial_position=[2, 1],
        freedom=freedom,
        rest=rest,
    )


def test_rest_follows_from_theta_if_it_is_not_given():
    record = steep([0.0, 0.25, 1.0])
    assert record.rest.tolist() == [1.0, 0.75, 0.0]
    assert record.freedom.tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["rest", "freedom"])
def test_lengths_are_checked(name):
    with pytest.raises(ValueError, match=f"{name} of a record has 2 entries, not 3"):
        steep([0.0, 0.25, 1.0], **{name: [0.0, 0.0]})


def test_lengths_of_segments_have_all_digits():
    rest = np.array([1.0, 1e-3, 1e-15 / 3, 0.0])
    record = steep(1.0 - rest, rest=rest)
    assert record.lengths() == pytest.approx([0.999, 1e-3 - 1e-15 / 3, 1e-15 / 3], rel=1e-13)


def test_concatenate_keeps_digits_close_to_one():
    """Breakpoints at 1e-12 (1 - u) before the end, of which theta has but four digits."""
    part = np.array([0.0, 0.1234567890123, 1.0])
    near = 1e-12
    joined = concatenate(
        [steep([0.0, 1.0]), steep(part)], [(0.0, (1.0 - near, near)), ((1.0 - near, near), 1.0)]
    )
    joined.validate()
    expected = near * (1.0 - part[1])
    assert joined.rest.tolist()[:2] == [1.0, near] and joined.rest[-1] == 0.0
    assert joined.rest[2] == pytest.approx(expected, rel=1e-14)
    assert joined.theta[2] == 1.0 - joined.rest[2]
    # The leg goes by one in all: its end is met however coarse theta is.
    assert joined.slope[1:] == pytest.approx(1.0 / near, rel=1e-14)
    assert joined.lengths() @ joined.slope == pytest.approx(2.0, rel=1e-12)


def test_concatenate_refuses_other_distances():
    legs = [steep([0.0, 1.0]), steep([0.0, 1.0])]
    with pytest.raises(ValueError, match="Span 1 starts"):
        concatenate(legs, [(0.0, (1.0, 1e-17)), ((1.0, 2e-17), 1.0)])


def test_concatenate_carries_freedom():
    first = steep([0.0, 0.5, 1.0], freedom=[RESTS, UNIQUE, LOOSE])
    second = steep([0.0, 0.5, 1.0], freedom=[LOOSE, SHORT, UNIQUE])
    joined = concatenate([first, second], [(0.0, 0.3), (0.3, 1.0)])
    assert joined.freedom.tolist() == [RESTS, UNIQUE, LOOSE, SHORT, UNIQUE]


def test_reverse_goes_the_same_way_back():
    rest = np.array([1.0, 0.7, 1e-13 / 3, 0.0])
    record = steep(1.0 - rest, rest=rest)
    back = reverse(record)
    back.validate()
    assert back.theta[0] == 0.0 and back.theta[-1] == 1.0
    # What is close to one is close to zero on the way back, where theta has all its digits.
    assert back.theta[1] == pytest.approx(1e-13 / 3, rel=1e-3)
    assert back.lengths() == pytest.approx(record.lengths()[::-1], abs=1e-16)
    assert back.value == pytest.approx((record.value + record.lengths())[::-1], abs=1e-16)
    again = reverse(back)
    for name in Record.names():
        assert getattr(again, name) == pytest.approx(getattr(record, name), abs=1e-15)


def test_reverse_turns_freedom_round():
    record = steep([0.0, 0.2, 0.5, 0.8, 1.0], freedom=[LOOSE, UNIQUE, SHORT, RESTS, LOOSE])
    back = reverse(record)
    # A segment is loose on the way back if the theta at which it ended was.
    assert back.freedom.tolist() == [RESTS, SHORT, LOOSE, UNIQUE, LOOSE]
    assert reverse(back).freedom.tolist() == record.freedom.tolist()


def with_events(theta):
    """A record with an event at every inner breakpoint: a row that comes and goes."""
    plain = steep(theta)
    n = theta.size - 2
    fields = {name: getattr(plain, name) for name in Record.names()}
    before = 1 + np.arange(n) % 2
    fields |= {
        "event_theta": theta[1:-1],
        "event_index": np.ones(n),
        "event_from": before,
        "event_to": 3 - before,
        "event_count": np.arange(n + 1),
    }
    return Record(**fields)


@pytest.mark.parametrize("start", [0.3, 0.6, 0.7093813230627907, 1.0 - 1e-9])
def test_placing_a_leg_exchanges_no_neighbours(start):
    """Neighbouring thetas of a leg keep their order in the whole path, whatever is rounded."""
    rng = np.random.default_rng(0)
    for end in start + (1.0 - start) * rng.uniform(size=50):
        inner = rng.uniform(size=20)
        theta = np.sort(np.concatenate([[0.0, 1.0], inner, np.nextafter(inner, 2.0)]))
        legs = [steep([0.0, 1.0]), with_events(theta), steep([0.0, 1.0])]
        whole = concatenate(legs, [(0.0, start), (start, end), (end, 1.0)])
        assert (np.diff(whole.event_theta) >= 0).all()
        assert (np.diff(whole.rest) <= 0).all()
