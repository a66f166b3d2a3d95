"""A small path written down by hand, with all that pictures and pages ask of one."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

from weightpath.curves import Curve

matplotlib.use("Agg")


class SmallPath:
    """Ten rows whose coefficients are piecewise linear between twenty-one breakpoints."""

    def __init__(self, n=10, n_segments=20, kind="svc"):
        self.parts = [SimpleNamespace(reading=SimpleNamespace(kind=kind))]
        rng = np.random.default_rng(0)
        self.theta = np.linspace(0, 1, n_segments + 1)
        self.table = rng.normal(size=(n_segments + 1, n))
        self.table[:, 0] = 3.0
        self.sizes = rng.integers(1, 5, n_segments)
        dtype = [("theta", float), ("index", int), ("from", "U8"), ("to", "U8")]
        self.events = np.zeros(n_segments - 1, dtype=dtype)
        self.events["theta"] = self.theta[1:-1]
        self.status = SimpleNamespace(message="Reached the end <at last> & in time.")
        self.asked = []

    def at(self, theta):
        columns = [np.interp(theta, self.theta, column) for column in self.table.T]
        return SimpleNamespace(dual_coef=np.array(columns))

    def margin_size(self):
        return self.theta, self.sizes

    def kkt_violation(self, theta):
        self.asked.append(theta)
        return 1e-13 + 1e-12 * (theta == 1)

    def duality_gap(self, theta):
        return 2e-14 if theta == 0 else 5e-14


@pytest.fixture
def path():
    return SmallPath()


@pytest.fixture
def small_path():
    return SmallPath


@pytest.fixture
def curve():
    return Curve([0, 0.25, 0.5, 1], [[0.3], [0.1], [0.2]], "zero_one")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
