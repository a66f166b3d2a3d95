import numpy as np
import pytest
from path.reference_paths import random_problem, trace

from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading
from weightpath.record.joining import concatenate, unit_steps
from weightpath.record.record import Record


def legs(seed=3, n=12):
    X, sign, w0, w1 = random_problem(seed, n)
    kernel = Kernel("rbf", gamma=0.7)
    K = kernel.between(X, X)
    middle = 0.75 * w0 + 0.25 * w1
    return kernel, X, sign, trace(K, sign, w0, middle, w1)[1:], trace(K, sign, w0, w1)[1]


def test_arrays_cannot_be_written():
    record = legs()[4][2]
    with pytest.raises(ValueError, match="read-only"):
        record.theta[0] = 1.0


def test_arrays_of_the_engine_make_the_same_record():
    record = legs()[4][2]
    arrays = {name: np.array(array) for name, array in record.to_arrays().items()}
    del arrays["rest"]
    own = Record.of_own(**arrays)
    own.validate()
    for name, array in record.to_arrays().items():
        mine = getattr(own, name)
        assert mine.dtype == array.dtype and not mine.flags.writeable
        np.testing.assert_array_equal(mine, array)


def test_from_arrays_names_what_is_missing():
    arrays = legs()[4][2].to_arrays()
    del arrays["event_to"]
    with pytest.raises(ValueError, match="event_to"):
        Record.from_arrays(arrays)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("theta", lambda a: a[::-1], "increase"),
        ("theta", lambda a: a[:-1], "entries"),
        ("bias", lambda a: a * np.nan, "finite"),
        ("member", lambda a: a + 1000, "rows"),
        ("member", lambda a: np.roll(a, 1), "margin of segment"),
        ("event_from", lambda a: a + 2, "Event 0"),
        ("event_count", lambda a: a + 1000, "event_count"),
        ("offset", lambda a: a + 1, "offset"),
    ],
)
def test_validate_finds_faults(name, change, message):
    arrays = legs()[4][2].to_arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=message):
        Record.from_arrays(arrays).validate()


def test_record_without_segments():
    arrays = {name: [] for name in Record.names()} | {"theta": [0.0], "offset": [0]}
    arrays |= {"freedom": [0], "rest": [1.0]}
    with pytest.raises(ValueError, match="at least one segment"):
        Record.from_arrays(arrays)


def test_concatenate_is_the_path_in_one_go():
    kernel, X, sign, (first, second), whole = legs()
    joined = concatenate([first[2], second[2]], [(0.0, 0.25), (0.25, 1.0)])
    joined.validate()
    assert joined.theta[0] == 0.0 and joined.theta[-1] == 1.0 and 0.25 in joined.theta
    assert joined.n_events == whole[2].n_events
    reading = Reading("svc", sign)
    parts = [
        PathPart(kernel, X, None, whole[0], whole[1], record, reading)
        for record in (joined, whole[2])
    ]
    for theta in np.random.default_rng(0).uniform(size=50):
        np.testing.assert_allclose(parts[0].beta(theta), parts[1].beta(theta), atol=1e-12)
        np.testing.assert_array_equal(parts[0].position(theta), parts[1].position(theta))
        assert parts[0].bias(theta) == pytest.approx(parts[1].bias(theta), abs=1e-12)
    assert parts[0].largest_kkt_violation() < 1e-12


def test_concatenate_drops_what_has_no_length():
    _, _, _, (first, second), _ = legs()
    tail = 1.0 - 2.0**-53  # the leg's breakpoints collapse to the two ends of its span
    joined = concatenate([first[2], second[2]], [(0.0, tail), (tail, 1.0)])
    joined.validate()
    assert len(joined) == len(first[2]) + 1
    assert joined.n_events == first[2].n_events + second[2].n_events
    empty = concatenate([first[2], second[2]], [(0.0, 1.0), (1.0, 1.0)])
    assert len(empty) == len(first[2])
    assert np.isfinite(empty.slope).all()


def test_concatenate_bridges_positions():
    _, _, _, (first, second), _ = legs()
    arrays = second[2].to_arrays()
    row = int(np.setdiff1d(np.arange(12), [*arrays["event_index"], *arrays["member"]])[0])
    changed = arrays["initial_position"].copy()
    changed[row] = 4 - changed[row]
    arrays["initial_position"] = changed
    joined = concatenate([first[2], Record.from_arrays(arrays)], [(0.0, 0.5), (0.5, 1.0)])
    joined.validate()
    assert joined.n_events == first[2].n_events + second[2].n_events + 2
    np.testing.assert_array_equal(joined.final_position()[row], changed[row])


def test_concatenate_refuses_gaps_and_stopped_legs():
    _, _, _, (first, second), _ = legs()
    with pytest.raises(ValueError, match="Span 1 starts"):
        concatenate([first[2], second[2]], [(0.0, 0.4), (0.5, 1.0)])
    arrays = first[2].to_arrays()
    arrays["theta"] = arrays["theta"] * 0.5
    with pytest.raises(ValueError, match="stopped"):
        concatenate([Record.from_arrays(arrays), second[2]], [(0.0, 0.5), (0.5, 1.0)])
    with pytest.raises(ValueError, match="one span each"):
        concatenate([first[2]], [])


def test_unit_steps():
    assert unit_steps(1, 3) == [(1, 2), (2, 3)]
    assert unit_steps(3, 2) == [(3, 2)]
    assert unit_steps(2, 2) == []
