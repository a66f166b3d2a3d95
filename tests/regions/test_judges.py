"""Maps against an interior point method, which knows nothing of regions."""

from __future__ import annotations

import numpy as np
import pytest

import weightpath as wp
from judges import conic
from regions.planes import COSTS, grid_data, toy_model
from regions.test_critical import one_class, regression

MARGINS = [{"C": 2.0}, {"margin": 0.0}]

PLANES = {
    "toy": (lambda: toy_model(60), COSTS),
    "grid": (lambda: wp.SVC(C=1.0, gamma=0.5).fit(*grid_data(0)), COSTS),
    "margins": (
        lambda: wp.SVC(C=0.5, kernel="linear").fit(*grid_data(2)),
        [{"C": 2}, {"margin": 0}],
    ),
    "tubes": (regression, [{"C": 5.0}, {"epsilon": 2.0}]),
    "targets": (regression, [{"y": np.zeros(60)}, {"epsilon": 0.0}]),
    "one class": (one_class, [{"nu": 0.6}, {"sample_weight": np.linspace(0.5, 2.0, 60)}]),
}


@pytest.mark.parametrize("name", PLANES)
def test_values_are_those_of_an_interior_point_method(name):
    make, axes = PLANES[name]
    plane = wp.region_map(make(), axes)
    assert plane.status == "complete"
    for z in np.random.default_rng(0).uniform(size=(6, 2)):
        stair = plane.problem.staircase(z)
        judged = conic.solve(plane.problem.matrix, stair)
        solution = plane.at(z)
        values = plane.problem.matrix @ solution.dual_coef
        # An interior point method is good to the root of its tolerance where rows are at ties.
        assert np.abs(values - judged.values).max() < 1e-5
        assert solution.dual_coef.sum() == pytest.approx(stair.total, abs=1e-9)
