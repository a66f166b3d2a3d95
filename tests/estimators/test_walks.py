"""Long random walks: after any sequence of changes the model equals a fresh fit."""

import numpy as np
import pytest

import weightpath as wp
from estimators.samples import pairwise_values


class Walk:
    """A model, and a plain list of what it should have been fitted on."""

    def __init__(self, seed, ugly):
        self.rng = rng = np.random.default_rng(seed)
        self.ugly = ugly
        self.n_classes = int(rng.integers(2, 4))
        self.n_features = int(rng.integers(1, 4))
        n = int(rng.integers(4 * self.n_classes, 40))
        self.params = {
            "kernel": str(rng.choice(["rbf", "linear", "poly"])),
            "gamma": float(rng.choice([0.1, 1.0, 5.0])),
            "degree": 2,
            "coef0": 1.0,
            "class_weight": [None, "balanced"][rng.integers(2)],
        }
        self.C = float(rng.choice([0.01, 1.0, 100.0]))
        self.X = self.points(n)
        self.y = rng.permutation(np.arange(n) % self.n_classes)
        self.weight = self.weights(self.y)
        self.margin = np.ones(n)
        self.model = self.fresh()
        self.path = self.model.reweight(self.weight)

    def fresh(self):
        model = wp.SVC(C=self.C, **self.params)
        return model.fit(self.X, self.y, self.weight, self.margin)

    def points(self, n):
        """Ugly points are on a coarse lattice: duplicates, collinear, with all kinds of ties."""
        if self.ugly:
            return self.rng.integers(-2, 3, size=(n, self.n_features)).astype(float)
        return self.rng.normal(size=(n, self.n_features))

    def weights(self, y):
        n = len(y)
        choices = [np.ones(n), self.rng.uniform(0.1, 3.0, n), 10 ** self.rng.uniform(-3, 1, n)]
        if self.ugly:
            whole = self.rng.integers(0, 3, n).astype(float)
            choices.append(whole if self.has_weight(y, whole) else np.ones(n))
        return choices[self.rng.integers(len(choices))]

    def margins(self, n):
        choices = [np.ones(n), self.rng.uniform(-1, 2, n)]
        if self.ugly:
            choices += [self.rng.integers(-1, 3, n).astype(float), np.zeros(n)]
        return choices[self.rng.integers(len(choices))]

    def has_weight(self, y, weight):
        return (np.bincount(y, weight, minlength=self.n_classes) > 0).all()

    def reweight(self):
        self.weight = self.weights(self.y)
        self.path = self.model.reweight(self.weight)

    def move(self):
        self.C = float(10 ** self.rng.uniform(-2, 2))
        self.weight, self.margin = self.weights(self.y), self.margins(len(self.y))
        self.path = self.model.move(C=self.C, sample_weight=self.weight, margin=self.margin)

    def arrivals(self):
        n = int(self.rng.integers(1, 6))
        return self.points(n), self.rng.integers(0, self.n_classes, n)

    def add(self):
        X, y = self.arrivals()
        weight, margin = self.weights(y), self.margins(len(y))
        self.path = self.model.add(X, y, weight, margin)
        self.X, self.y = np.vstack([self.X, X]), np.append(self.y, y)
        self.weight, self.margin = np.append(self.weight, weight), np.append(self.margin, margin)

    def remove(self):
        gone = self.rng.choice(len(self.y), int(self.rng.integers(1, 4)), replace=False)
        kept = np.setdiff1d(np.arange(len(self.y)), gone)
        if self.has_weight(self.y[kept], self.weight[kept]):
            self.path = self.model.remove(gone)
            self.X, self.y = self.X[kept], self.y[kept]
            self.weight, self.margin = self.weight[kept], self.margin[kept]

    def slide(self):
        X, y = self.arrivals()
        drop = int(self.rng.integers(0, 4))
        after = np.append(self.y, y)[drop:]
        weight = self.weights(after)
        if self.has_weight(after, weight):
            self.path = self.model.slide(X, y, drop=drop, sample_weight=weight)
            self.X, self.y, self.weight = np.vstack([self.X, X])[drop:], after, weight
            self.margin = np.append(self.margin, np.ones(len(y)))[drop:]

    def side_trip(self):
        theta = float(self.rng.choice([0.0, 1.0, self.rng.uniform(), *self.path.theta]))
        there = self.path.model_at(theta)
        assert there.kkt_violation() < 1e-8
        there.reweight(self.rng.uniform(0.1, 2.0, there.weights_.size))
        assert there.kkt_violation() < 1e-8

    def check(self):
        assert self.path.kkt_violation() < 1e-8
        points = self.rng.normal(size=(15, self.n_features))
        fresh = pairwise_values(self.fresh(), points)
        np.testing.assert_allclose(pairwise_values(self.model, points), fresh, rtol=1e-7, atol=1e-7)


def go(seed, ugly):
    walk = Walk(seed, ugly)
    steps = (walk.reweight, walk.move, walk.add, walk.remove, walk.slide, walk.side_trip)
    for _ in range(6):
        walk.rng.choice(steps)()
        walk.check()


@pytest.mark.parametrize("seed", range(40))
def test_walk(seed):
    go(seed, ugly=False)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_walk_with_ties(block):
    for seed in range(30 * block, 30 * block + 30):
        try:
            go(seed, ugly=True)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
