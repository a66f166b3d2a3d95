"""The paper's schematic figures, drawn from computed solutions: Figures 2 and 15.

Figure 2 shows a critical region: a path in the space of two weights, the region on which all
rows stay in their sets, and how far the path may go in it. Here the two weights are those of the
rows of each cost of the artificial example, and the regions that the path crosses are computed.

Figure 15 shows how the NDCG of three documents changes where two of their scores cross; here the
scores are those of a ranking SVM whose pair weights go from equal ones to the relevance.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from reproduction.experiment import Options, Plan, run_alone
from weightpath import SVC, RankingSVM
from weightpath.datasets import make_toy
from weightpath.path import SolutionPath

DATA = None
SEED = 7

# The plane: rows of the artificial example, and the weights of those of cost 1 and of cost 2 from
# which the path leads to which.
ROWS = 24
OLD, NEW = (0.5, 4.0), (4.0, 1.5)

# The ranking problem: queries, documents of each, features, and groups of three to choose from.
QUERIES, DOCUMENTS, FEATURES, GROUPS = 8, 6, 3, 4000
RELEVANCE = (2.0, 1.0, 0.0)


def plan(options: Options) -> Plan:
    # It takes a second: a quick run is a full one.
    return Plan({"seed": SEED}, [{"part": "region"}, {"part": "ndcg"}])


def prepare(settings: dict, data, folder: Path) -> dict:
    return settings


def measure(settings: dict, cell: dict) -> dict:
    seed = settings["seed"]
    return regions_of_a_path(seed) if cell["part"] == "region" else ndcg_of_three(seed)


# Figure 2 --------------------------------------------------------------------------------------


def regions_of_a_path(seed: int) -> dict:
    """Follow a path in the plane of two weights; return it and the regions that it crosses.

    The region that counts as the current one is that with the longest way in it, of those in the
    middle of the path.
    """
    train = make_toy(ROWS, random_state=seed)
    first = train.cost == 1

    def weights(c: ArrayLike) -> np.ndarray:
        return np.where(first, *np.asarray(c))

    model = SVC(C=1.0, gamma=1.0).fit(train.X, train.y, sample_weight=weights(OLD))
    path = model.reweight(weights(NEW))
    middles = 0.5 * (path.theta[1:] + path.theta[:-1])
    regions = []
    for theta in middles.tolist():
        here = (1.0 - theta) * np.array(OLD) + theta * np.array(NEW)
        at = path.model_at(theta)
        axes = [{"sample_weight": weights(here + unit)} for unit in np.eye(2)]
        A, b = at.critical_region(axes).halfspaces
        regions.append({"A": A.tolist(), "b": (b + A @ here).tolist()})
    lengths = np.diff(path.theta)
    now = int(np.argmax(lengths * (np.abs(middles - 0.5) < 0.25)))
    theta = float(path.theta[now] + 0.3 * lengths[now])
    leaving = _exit(path, theta, weights)
    return {
        "old": list(OLD),
        "new": list(NEW),
        "breakpoints": path.theta.tolist(),
        "regions": regions,
        "current": now,
        "theta": theta,
        **leaving,
        "violation": float(path.kkt_violation()),
    }


def _exit(path: SolutionPath, theta: float, weights: Callable) -> dict:
    """Return how far the path may go from ``theta`` before a row changes its set."""
    region = path.model_at(theta).critical_region([{"sample_weight": weights(NEW)}])
    found = region.exit([1.0])
    return {
        # The axis leads from here to the end of the path.
        "step": float(found.length * (1.0 - theta)),
        "row": int(found.index),
        "before": found.set_before,
        "after": found.set_after,
    }


# Figure 15 -------------------------------------------------------------------------------------


def documents(seed: int) -> Bunch:
    """Return queries whose documents have features with some information on their relevance."""
    random = np.random.default_rng(seed)
    n = QUERIES * DOCUMENTS
    y = random.integers(0, 3, n).astype(float)
    X = random.normal(size=(n, FEATURES)) + 0.4 * y[:, None] * np.array([1.0, 0.5, 0.0])
    groups = random.normal(size=(GROUPS, 3, FEATURES))
    return Bunch(X=X, y=y, qid=np.repeat(np.arange(QUERIES), DOCUMENTS), groups=groups)


def ndcg_of_three(seed: int) -> dict:
    """Follow a path and return the scores of three documents and their NDCG along it.

    Of some random groups of three, one whose order is reversed, from the worst to the best, by
    three crossings that are as far apart as possible.
    """
    data = documents(seed)
    model = RankingSVM(C=0.1, gamma=0.3).fit(data.X, data.y, qid=data.qid)
    path = model.reweight("relevance")
    theta = path.theta
    scores = path.decision_function(data.groups.reshape(-1, FEATURES), theta)
    scores = scores.reshape(len(theta), GROUPS, 3)
    crossings = [_crossings(theta, scores[:, group]) for group in range(GROUPS)]
    best = (np.diff(scores[-1], axis=-1) < 0).all(axis=-1)
    chosen = max(np.flatnonzero(best).tolist(), key=lambda group: _clarity(crossings[group]))
    X, y = data.groups[chosen], np.array(RELEVANCE)
    curve = path.curve(X, y, "ndcg", convention="exponential")
    return {
        "theta": theta.tolist(),
        "scores": scores[:, chosen].tolist(),
        "relevance": list(RELEVANCE),
        "crossings": sorted(chain(*crossings[chosen].values())),
        "edges": curve.edges.tolist(),
        "values": curve.values.tolist(),
        "violation": float(path.kkt_violation()),
    }


def _crossings(theta: np.ndarray, scores: np.ndarray) -> dict[tuple[int, int], list[float]]:
    """Return where two of three piecewise linear scores are equal, by pair."""
    found: dict[tuple[int, int], list[float]] = {}
    for i, j in combinations(range(3), 2):
        gap = scores[:, i] - scores[:, j]
        k = np.flatnonzero(np.sign(gap[1:]) * np.sign(gap[:-1]) < 0)
        share = gap[k] / (gap[k] - gap[k + 1])
        found[i, j] = (theta[k] + share * (theta[k + 1] - theta[k])).tolist()
    return found


def _clarity(crossings: dict[tuple[int, int], list[float]]) -> float:
    """Return how well three crossings can be told apart; nothing unless each pair has one."""
    if [len(own) for own in crossings.values()] != [1, 1, 1]:
        return -1.0
    return float(np.diff([0.0, *sorted(chain(*crossings.values())), 1.0]).min())


if __name__ == "__main__":
    run_alone("schematic")
