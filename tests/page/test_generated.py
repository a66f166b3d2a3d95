"""Pages of generated problems over many orders of magnitude, of every estimator."""

import numpy as np
import pytest
from campaign.examine import places, travel_to
from campaign.problems import problem

import weightpath as wp
from weightpath.page.document import page_data
from weightpath.page.judged_data import Judged

PROMISED = 1e-9


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed",
    [*range(1000, 1004), *(pytest.param(s, marks=pytest.mark.slow) for s in range(1004, 1120))],
)
def test_page_of_a_generated_problem(read_page, seed):
    case = problem(seed)
    try:
        model = getattr(wp, case.estimator)(**case.params).fit(**case.fit)
        path = travel_to(model, case.move, seed)
    except (wp.PathError, ValueError):
        pytest.skip("the problem is refused, as it may be")
    data = page_data(path, None, Judged(case.points), title="", n_checks=2)
    theta = [*places(path.theta, seed), *path.isolated_theta[:5].tolist()]
    for at, found in zip(theta, read_page(data, theta)["found"], strict=True):
        solution = path.at(at)
        coef = np.atleast_2d(solution.dual_coef)
        off = np.abs(np.array(found["coef"]) - coef).max()
        assert off <= PROMISED * np.abs(coef).max(), at
        for rows, name in zip(found["sets"], ("outside", "margin", "inside"), strict=True):
            expected = getattr(solution, name)
            expected = expected if isinstance(expected, tuple) else (expected,)
            assert rows == [own.tolist() for own in expected], (name, at)
        np.testing.assert_allclose(found["weights"], solution.weights, rtol=PROMISED)
