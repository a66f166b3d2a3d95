"""The schematic figures say what the paper's say, of computed solutions."""

import numpy as np
import pytest

from reproduction.chapters.schematic import clipped
from reproduction.schematic import SEED, ndcg_of_three, regions_of_a_path


@pytest.fixture(scope="module")
def regions():
    return regions_of_a_path(SEED)


def test_a_path_goes_from_region_to_region(regions):
    old, new = np.array(regions["old"]), np.array(regions["new"])
    theta = regions["breakpoints"]
    assert len(regions["regions"]) == len(theta) - 1 > 5
    for region, left, right in zip(regions["regions"], theta[:-1], theta[1:], strict=True):
        A, b = np.array(region["A"]), np.array(region["b"])
        for share in (0.01, 0.5, 0.99):
            at = left + share * (right - left)
            assert (A @ (old + at * (new - old)) < b).all()
        for end in (left, right):
            if 0.0 < end < 1.0:
                assert np.abs(b - A @ (old + end * (new - old))).min() < 1e-9


def test_the_region_says_how_far_the_path_may_go(regions):
    end = regions["breakpoints"][regions["current"] + 1]
    assert regions["theta"] + regions["step"] == pytest.approx(end, abs=1e-10)
    assert regions["row"] >= 0 and regions["before"] != regions["after"]
    assert regions["violation"] < 1e-12


def test_a_polygon_within_a_window():
    window = np.array([[0.0, 0.0], [2.0, 2.0]])
    triangle = clipped([[1.0, 1.0]], [2.0], window)
    assert sorted(map(tuple, np.unique(triangle, axis=0))) == [(0, 0), (0, 2), (2, 0)]
    assert len(clipped([[1.0, 0.0]], [-1.0], window)) == 0


def test_ndcg_changes_where_two_outputs_cross():
    found = ndcg_of_three(SEED)
    assert len(found["crossings"]) == 3
    assert found["edges"][1:-1] == pytest.approx(found["crossings"], abs=1e-9)
    assert found["values"][-1] == 1.0 and (np.diff(found["values"]) > 0).all()
