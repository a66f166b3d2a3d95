"""Where the parameters of losses come from, and values of y that are none."""

import numpy as np
import pytest

from weightpath.metrics import trace_curve

X = np.zeros((3, 1))
Y = [0.0, 1.0, 2.0]


@pytest.fixture
def told(handmade):
    """Make a path of regression that tells these parameters."""
    part = handmade.random_part(np.random.default_rng(0), 3, 4)
    return lambda **params: handmade.path([part], None, kind="svr", params=params)


def same(first, second):
    return np.array_equal(first.edges, second.edges) and np.array_equal(
        first.coefficients, second.coefficients
    )


OWN = [("epsilon_insensitive", "epsilon"), ("pinball", "quantile")]
either = pytest.mark.parametrize(("metric", "name"), OWN)


@either
def test_known_from_the_path(told, metric, name):
    expected = trace_curve(told(), X, Y, metric, **{name: 0.25})
    rows = np.full(3, 0.25)
    for params in (
        {name: 0.25},
        {"params": {name: 0.25}},
        {"params": {name: 0.7}, "lines": {name + "_": (0.25, 0.25)}},
        {"params": {name: 0.7}, "start": {name: rows}, "end": {name: rows}},
        {"params": {name: 0.25}, "start": {"weight": rows}, "end": {"weight": rows}},
    ):
        assert same(trace_curve(told(**params), X, Y, metric), expected)
        other = trace_curve(told(**params), X, Y, metric, **{name: 0.5})
        assert not same(other, expected)


@either
def test_no_guess_where_it_moves_or_differs(told, metric, name):
    for ends in ((np.zeros(3), np.ones(3)), (np.arange(3.0), np.arange(3.0))):
        path = told(params={name: 0.2}, start={name: ends[0]}, end={name: ends[1]})
        with pytest.raises(ValueError, match=f"needs {name}=: on this path it takes several"):
            trace_curve(path, X, Y, metric)
        assert trace_curve(path, X, Y, metric, **{name: 0.2}).metric == metric


def test_where_the_path_tells_nothing(told):
    with pytest.raises(ValueError, match="needs epsilon=: the path does not tell it"):
        trace_curve(told(), X, Y, "epsilon_insensitive")
    half = trace_curve(told(params={"quantile": None}), X, Y, "pinball")
    assert same(half, trace_curve(told(), X, Y, "pinball", quantile=0.5))


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        ("epsilon_insensitive", {"epsilon": -0.1}),
        ("epsilon_insensitive", {"epsilon": np.inf}),
        ("epsilon_insensitive", {"epsilon": [0.1, 0.1, 0.1]}),
        ("epsilon_insensitive", {"epsilon": "0.1"}),
        ("pinball", {"quantile": 1.5}),
        ("pinball", {"quantile": np.nan}),
        ("pinball", {"quantile": True}),
    ],
)
def test_bad_values(told, metric, option):
    with pytest.raises(ValueError, match=rf"{next(iter(option))} must be one number"):
        trace_curve(told(), X, Y, metric, **option)


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        ("squared", {"epsilon": 0.1}),
        ("absolute", {"quantile": 0.5}),
        ("pinball", {"epsilon": 0.1}),
        ("epsilon_insensitive", {"quantile": 0.1}),
        ("squared", {"k": 3}),
    ],
)
def test_options_of_other_metrics_are_refused(told, metric, option):
    with pytest.raises(ValueError, match=f"'{metric}' takes no {next(iter(option))}"):
        trace_curve(told(epsilon=0.1), X, Y, metric, **option)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, np.nan, 1.0], "finite"),
        ([0.0, np.inf, 1.0], "finite"),
        (["a", "b", "c"], "numbers"),
        (np.array([1.0, None, "x"], dtype=object), "numbers"),
        ([1j, 0, 0], "numbers"),
        ([[0.0, 1.0]] * 3, "one-dimensional"),
        ([0.0, 1.0], "3 rows but y has 2"),
    ],
)
def test_bad_targets(told, y, message):
    with pytest.raises(ValueError, match=message):
        trace_curve(told(), X, y, "squared")


def test_targets_of_other_types(told):
    expected = trace_curve(told(), X, Y, "squared")
    for y in ([0, 1, 2], np.array(Y)[:, None], np.array(Y, dtype=object), np.float32(Y)):
        assert same(trace_curve(told(), X, y, "squared"), expected)
