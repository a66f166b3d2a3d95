"""One loop for many lines, and the reasons why it stops."""

import numpy as np
import pytest

from weightpath.engine import solve
from weightpath.engine._loop import Loop
from weightpath.engine.results import Result
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase, one_class_staircase


def lines():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 3)), rng.uniform(0.2, 2.0, (4, 40))
    y = np.sign(X[:, 0] + rng.normal(size=40))
    yield "hinge", X, [hinge_staircase(y, w) for w in weights]
    # Without targets and levels the scales follow the values: more for a reset to put back.
    yield "one class", X, [one_class_staircase(w, 0.3) for w in weights]


def followed(loop, start, end, state):
    """Return all numbers that a line leaves behind."""
    assert loop.reset(start, end, state.position, state.beta, state.bias, state.margin) == 0
    loop.state.begin(state.position, state.residual)
    try:
        assert loop.run() is Result.END
        violation = loop.finish()
        arrays = loop.state.recorder.written(1.0, loop.state.initial_position).arrays()
        arrays["beta"] = loop.state.coefficients
        arrays["residual"] = loop.state.residuals.values
        scales = loop.state.scales
        arrays["numbers"] = [violation, loop.state.bias, scales.residual_scale, scales.tolerance]
        return arrays, loop.state.counts.as_dict()
    finally:
        loop.close()


@pytest.mark.parametrize(("name", "X", "stairs"), list(lines()), ids=lambda value: str(value)[:9])
def test_a_loop_that_is_reset_is_as_good_as_new(name, X, stairs):
    columns = Kernel("rbf", gamma=0.5).columns(X)
    states = [solve(columns, stair) for stair in stairs]
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    reused = Loop(columns, stairs[0].has_bias)
    for a, b in pairs:
        fresh = Loop(columns, stairs[0].has_bias)
        expected, counts = followed(fresh, stairs[a], stairs[b], states[a])
        arrays, own = followed(reused, stairs[a], stairs[b], states[a])
        assert len(expected["event_theta"]) > 0
        assert own == counts
        for key, value in expected.items():
            np.testing.assert_array_equal(arrays[key], value, err_msg=key)


@pytest.mark.parametrize("result", list(Result))
def test_every_result_is_a_sentence(result):
    sentence = result.sentence(0.25)
    assert sentence.endswith(".")
    assert "{" not in sentence
    assert ("0.25" in sentence) == (result is not Result.END)
