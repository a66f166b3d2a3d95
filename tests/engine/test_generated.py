"""Generated classification paths, full of ties and duplicates: optimal on every segment."""

import pytest
from hypothesis import HealthCheck, given, settings

from engine.walks import walk, walk_case
from judges.strategies import svc_paths
from weightpath.engine import COMPLETE, Options

LIMIT = 1e-8

calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}


def check(legs):
    """Every leg is complete, consistent, optimal everywhere and of sane length."""
    for leg in legs:
        assert leg.trace.status == COMPLETE
        leg.trace.record.validate()
        # Far more than any natural path of this size: only a cycle gets here.
        assert leg.trace.record.n_events <= 200 + 50 * len(leg.start)
        assert leg.worst_violation() <= LIMIT
        assert leg.settled.largest_kkt_violation() <= LIMIT


@pytest.mark.second_stage
@settings(max_examples=1000, derandomize=True, **calm)
@given(svc_paths(max_n=40))
def test_paths(case):
    check(walk_case(case))


@pytest.mark.second_stage
@settings(max_examples=1000, derandomize=True, **calm)
@given(svc_paths(max_n=8))
def test_small_paths(case):
    check(walk_case(case))


@settings(max_examples=200, **calm)
@given(svc_paths(max_n=30))
def test_fresh_paths(case):
    check(walk_case(case))


@settings(max_examples=200, derandomize=True, **calm)
@given(svc_paths(max_n=20))
def test_paths_through_the_net_for_ties(case):
    check(walk_case(case, Options(tie_limit=0)))


@settings(max_examples=150, derandomize=True, **calm)
@given(svc_paths(max_n=25))
def test_there_and_back(case):
    visited = case.staircases()
    legs = walk(case.K, visited)
    back = walk(case.K, visited[::-1], state=legs[-1].trace.state)
    check(back)
    for leg, same in zip(legs, back[::-1], strict=True):
        for theta in (0.0, 0.125, 0.7, 1.0):
            gap = abs(leg.values(theta) - same.values(1.0 - theta)).max()
            assert gap <= 1e-7 * max(leg.scale, abs(leg.values(theta)).max())
