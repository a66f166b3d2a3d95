"""The paper's Table 1: numbers of events and sizes of the margin on its artificial data.

M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path algorithm for
instance-weighted support vector machines. Machine Learning 88, 2012.
"""

import numpy as np
import pytest

from weightpath.datasets import make_toy
from weightpath.engine import COMPLETE, follow, solve
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase

# Instances, mean events and mean size of the margin over ten data sets.
TABLE = [(400, 326.7, 3.07), (800, 635.3, 3.27), (1200, 997.6, 3.38), (1600, 1424.0, 3.50)]


def toy_path(n, seed):
    """Return the number of events and the mean size of the margin of one data set."""
    toy = make_toy(n, random_state=seed)
    columns = Kernel("rbf", gamma=0.5).columns(toy.X, 100.0)
    start, end = (hinge_staircase(toy.y, weight) for weight in (toy.C_old, toy.C_new))
    trace = follow(columns, start, end, solve(columns, start))
    assert trace.status == COMPLETE
    return trace.record.n_events, np.diff(trace.record.offset).mean()


@pytest.mark.parametrize(("n", "events", "margin"), TABLE)
def test_means_over_ten_data_sets(n, events, margin):
    found = np.mean([toy_path(n, seed) for seed in range(10)], axis=0)
    assert found[0] == pytest.approx(events, rel=0.1)
    assert found[1] == pytest.approx(margin, rel=0.1)
