"""Drawn paths are well formed, and the judges agree on them."""

import numpy as np
from hypothesis import HealthCheck, given, settings

from judges import conic, quadratic
from judges.strategies import svc_paths

CALM = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@CALM
@given(svc_paths())
def test_drawn_paths_are_well_formed(case):
    n = len(case.y)
    assert 2 <= n <= 40
    assert set(case.y) == {1.0, -1.0}
    assert 2 <= len(case.weights) <= 4
    for weight in case.weights:
        assert weight.shape == (n,)
        assert weight[case.y > 0].any()
        assert weight[case.y < 0].any()
    assert np.isfinite(case.K).all()
    assert np.array_equal(case.K, case.K.T)
    if case.kernel["name"] == "poly":
        assert np.array_equal(case.K, np.rint(case.K))


@CALM
@given(svc_paths(max_n=20))
def test_judges_agree_on_drawn_problems(case):
    staircase = case.staircases()[-1]
    ours = conic.solve(case.K, staircase)
    assert ours.violation < 1e-4
    if quadratic.has_qpoases():
        theirs = quadratic.solve_qpoases(case.K, staircase)
        size = max(1.0, np.abs(ours.values).max())
        assert np.abs(ours.values - theirs.values).max() < 1e-5 * size
