"""The paper's schematic figures, drawn from computed solutions: Figures 2 and 15.

Figure 15 shows how the NDCG of three documents changes where two of their scores cross; here the
scores are those of a ranking SVM whose pair weights go from equal ones to the relevance.
"""

from __future__ import annotations

from itertools import chain, combinations
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from reproduction.experiment import Options, Plan, run_alone
from weightpath import RankingSVM

DATA = None
SEED = 7

# The ranking problem: queries, documents of each, features, and groups of three to choose from.
QUERIES, DOCUMENTS, FEATURES, GROUPS = 8, 6, 3, 4000
RELEVANCE = (2.0, 1.0, 0.0)


def plan(options: Options) -> Plan:
    # It takes a second: a quick run is a full one.
    return Plan({"seed": SEED}, [{"part": "ndcg"}])


def prepare(settings: dict, data, folder: Path) -> dict:
    return settings


def measure(settings: dict, cell: dict) -> dict:
    return ndcg_of_three(settings["seed"])


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
