"""Random walks of ranking models on lattices full of duplicates: always equal to a fresh fit."""

import numpy as np
import pytest

import weightpath as wp
from judges.ranking import all_pairs


class Walk:
    """A model, and a plain list of what it should have been fitted on."""

    def __init__(self, seed, ugly):
        self.rng = rng = np.random.default_rng(seed)
        self.ugly = ugly
        self.n_features = int(rng.integers(1, 4))
        self.n_levels = int(rng.integers(2, 5))
        self.n_queries = int(rng.integers(1, 4))
        self.params = {
            "kernel": str(rng.choice(["rbf", "linear", "poly"])),
            "gamma": float(rng.choice([0.1, 1.0])),
            "degree": 2,
            "coef0": 1.0,
            "pair_weight": str(rng.choice(["uniform", "relevance"])),
        }
        self.C = float(rng.choice([0.01, 1.0, 30.0]))
        n = int(rng.integers(8, 22))
        self.X, self.y, self.query = self.documents(n)
        self.y[:2], self.query[:2] = [0, 1], 0
        self.weight = self.default()
        self.model = wp.RankingSVM(self.C, **self.params).fit(self.X, self.y, self.query)
        self.path = None

    def documents(self, n):
        """Ugly documents are on a coarse lattice: many equal ones, in and across levels."""
        if self.ugly:
            X = self.rng.integers(-1, 2, size=(n, self.n_features)).astype(float)
        else:
            X = self.rng.normal(size=(n, self.n_features))
        y = self.rng.integers(0, self.n_levels, n).astype(float)
        return X, y, self.rng.integers(0, self.n_queries, n)

    def default(self):
        """The weights of the parameter, for all pairs."""
        table = all_pairs(self.y, self.query)
        if self.params["pair_weight"] == "uniform":
            return np.ones(len(table))
        return 2.0 ** self.y[table[:, 0]] - 2.0 ** self.y[table[:, 1]]

    def random_weights(self):
        n = len(all_pairs(self.y, self.query))
        choices = [np.ones(n), self.rng.uniform(0.1, 3, n), 10 ** self.rng.uniform(-3, 1, n)]
        whole = self.rng.integers(0, 3, n).astype(float)
        choices.append(whole if whole.any() else np.ones(n))
        return choices[self.rng.integers(4)]

    def fresh(self):
        model = wp.RankingSVM(self.C, **{**self.params, "pair_weight": self.weight})
        return model.fit(self.X, self.y, self.query)

    def reweight(self):
        self.weight = self.random_weights()
        self.path = self.model.reweight(self.weight)

    def move(self):
        self.C = float(10 ** self.rng.uniform(-3, 2))
        self.path = self.model.move(C=self.C)

    def move_both(self):
        self.C = float(10 ** self.rng.uniform(-2, 1))
        self.weight = self.random_weights()
        self.path = self.model.move(C=self.C, pair_weight=self.weight)

    def exchange(self, X, y, query, keep):
        """Change the lists; present pairs keep their weights, new ones have the parameter's."""
        n = len(self.y)
        old = dict(zip(map(tuple, all_pairs(self.y, self.query)), self.weight, strict=True))
        self.X = np.vstack([self.X, X])
        self.y, self.query = np.append(self.y, y), np.append(self.query, query)
        keep = np.append(keep, np.arange(n, len(self.y))).astype(int)
        self.X, self.y, self.query = self.X[keep], self.y[keep], self.query[keep]
        table = all_pairs(self.y, self.query)
        default = self.default()
        before = [(int(keep[i]), int(keep[j])) for i, j in table]
        self.weight = np.array([old.get(p, d) for p, d in zip(before, default, strict=True)])

    def add(self):
        new = self.documents(int(self.rng.integers(1, 5)))
        self.path = self.model.add(*new)
        self.exchange(*new, np.arange(len(self.y)))

    def remove(self):
        gone = self.rng.choice(len(self.y), int(self.rng.integers(1, 4)), replace=False)
        kept = np.setdiff1d(np.arange(len(self.y)), gone)
        if self.can_keep(kept, self.y[:0], self.query[:0]):
            self.path = self.model.remove(gone)
            self.exchange(self.X[:0], self.y[:0], self.query[:0], kept)

    def slide(self):
        new = self.documents(int(self.rng.integers(1, 5)))
        drop = int(self.rng.integers(0, 4))
        kept = np.arange(drop, len(self.y))
        if self.can_keep(kept, *new[1:]):
            self.path = self.model.slide(*new, drop=drop)
            self.exchange(*new, kept)

    def can_keep(self, kept, y, query):
        """Whether some pair that is there already keeps a weight."""
        kept = set(kept.tolist())
        table = all_pairs(self.y, self.query)
        return any(
            w > 0 and i in kept and j in kept for (i, j), w in zip(table, self.weight, strict=True)
        )

    def side_trip(self):
        if self.path is None:
            return
        theta = float(self.rng.choice([0.0, 1.0, self.rng.uniform(), *self.path.theta]))
        there = self.path.model_at(theta)
        assert there.kkt_violation() < 1e-8
        there.reweight(self.rng.uniform(0.1, 2.0, len(there.pairs_)))
        assert there.kkt_violation() < 1e-8

    def check(self):
        if self.path is not None:
            assert self.path.kkt_violation() < 1e-8
        assert self.model.kkt_violation() < 1e-8
        points = self.rng.normal(size=(8, self.n_features))
        fresh = self.fresh()
        np.testing.assert_array_equal(self.model.pairs_, fresh.pairs_)
        np.testing.assert_allclose(self.model.weights_, fresh.weights_, rtol=1e-12)
        theirs = fresh.predict(points)
        scale = max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(self.model.predict(points), theirs, rtol=0, atol=1e-8 * scale)


STEPS = ("reweight", "move", "move_both", "add", "remove", "slide", "side_trip")


def go(seed, ugly, n_steps=7):
    walk = Walk(seed, ugly)
    walk.check()
    for step in walk.rng.choice(STEPS, n_steps):
        getattr(walk, step)()
        walk.check()


@pytest.mark.parametrize("seed", range(12))
def test_walk(seed):
    go(seed, ugly=False)


@pytest.mark.parametrize("seed", range(40))
def test_walk_on_a_lattice(seed):
    go(1000 + seed, ugly=True)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_more_walks(block):
    for seed in range(2000 + 30 * block, 2030 + 30 * block):
        try:
            go(seed, ugly=seed % 4 > 0)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
