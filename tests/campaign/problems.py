"""One integer, one ugly problem: data, a start and a destination, for every estimator."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from campaign import stairs as forms
from campaign.kernels import KernelChoice, choose_kernel
from campaign.lasso_problems import lasso
from campaign.operators import KernelMatrix, PairMatrix
from campaign.shapes import features, targets, weights

__all__ = ["ESTIMATORS", "Problem", "problem"]

ESTIMATORS = ("SVC", "SVR", "QuantileSVR", "OneClassSVM", "RankingSVM", "Lasso")
SHARES = (0.25, 0.2, 0.15, 0.13, 0.12, 0.15)

SIZES = (2, 3, 4, 6, 10, 15, 25, 40, 60, 150)
SIZE_SHARES = (0.04, 0.05, 0.08, 0.12, 0.16, 0.17, 0.17, 0.12, 0.06, 0.03)

# The problem of pairs has a dense matrix here, so there are not too many of them.
MOST_PAIRS = 250


@dataclass(frozen=True)
class Problem:
    """A problem with all that an estimator is given and all that a judge needs.

    Attributes
    ----------
    estimator, kernel : str
        Names.
    params, fit, move, back : dict
        Parameters of the estimator; arguments of ``fit``, ``move`` and, if the path is to be
        followed back, of ``move`` once more.
    start, end : Stairs
        The problem at both ends.
    matrix : KernelMatrix
    points : ndarray
        Rows at which models are compared, as the estimator takes them.
    values : ndarray
        The matrix that makes values at these rows of coefficients (of documents, for pairs).
    pairs : ndarray or None
        The pairs of documents, in the documented order.
    """

    seed: int
    estimator: str
    kernel: str
    params: dict
    fit: dict
    move: dict
    start: forms.Stairs
    end: forms.Stairs
    matrix: KernelMatrix
    points: np.ndarray
    values: np.ndarray
    back: dict = field(default_factory=dict)
    pairs: np.ndarray | None = None

    def coefficients(self, beta) -> np.ndarray:
        """Return what ``values`` is multiplied by."""
        return beta if self.pairs is None else self.matrix.gather(beta)


@dataclass(frozen=True)
class Rows:
    """Training rows with a kernel."""

    X: np.ndarray
    kernel: KernelChoice
    extra: np.ndarray

    @property
    def n(self) -> int:
        return len(self.X)

    def parts(self, fit, params) -> dict:
        """Return what every problem with a kernel has."""
        everything = np.vstack([self.X, self.extra])
        K = self.kernel.matrix(self.X, self.X)
        given = {"X": self.kernel.rows_for(self.X, self.X), **fit}
        return {
            "kernel": self.kernel.name,
            "params": {**self.kernel.params, **params},
            "fit": given,
            "matrix": KernelMatrix(K),
            "points": self.kernel.rows_for(everything, self.X),
            "values": self.kernel.matrix(everything, self.X),
        }


def problem(seed: int) -> Problem:
    """Return the problem of a seed."""
    g = np.random.default_rng([seed, 12])
    name = g.choice(ESTIMATORS, p=SHARES)
    make = {
        "SVC": svc,
        "SVR": svr,
        "QuantileSVR": quantile,
        "OneClassSVM": one_class,
        "RankingSVM": ranking,
        "Lasso": lasso,
    }[name]
    return Problem(seed=seed, estimator=str(name), **make(g))


def draw_rows(g, n: int | None = None) -> Rows:
    n = n or int(g.choice(SIZES, p=SIZE_SHARES))
    p = int(g.choice([1, 2, 3, 5, 9, 20]))
    X = features(g, n, p)
    return Rows(X, choose_kernel(g, X), mixtures(g, X))


def mixtures(g, X, count: int = 5) -> np.ndarray:
    """Return new rows between training rows."""
    share = g.dirichlet(np.ones(2), count)
    some = g.integers(0, len(X), (count, 2))
    return share[:, :1] * X[some[:, 0]] + share[:, 1:] * X[some[:, 1]]


def chosen(g, options: dict, back: dict) -> tuple[dict, dict]:
    """Draw one to three of the quantities that may move; return where to, and back from there."""
    names = list(options)
    first = names[0] if g.random() < 0.45 else names[g.integers(len(names))]
    taken = {first}
    while g.random() < 0.2:
        taken.add(names[g.integers(len(names))])
    move = {name: options[name] for name in names if name in taken}
    returns = {name: back[name] for name in move} if g.random() < 0.15 else {}
    return move, returns


def draw_C(g) -> float:
    return 10.0 ** g.uniform(-5, 6)


def svc(g) -> dict:
    rows = draw_rows(g)
    n, C = rows.n, draw_C(g)
    y = np.where(g.random(n) < g.choice([0.5, 0.2]), 1, -1)
    y[:2] = 1, -1
    w0 = alive(g, weights(g, n), y)
    w1 = alive(g, weights(g, n, w0), y)
    if g.random() < 0.03:
        w1 = np.where(y == y[g.integers(n)], 0.0, w1)
    factor = {None: lambda w: np.ones(n), "balanced": lambda w: balance(y, w)}
    class_weight = None
    draw = g.random()
    if draw < 0.1:
        class_weight = "balanced"
    elif draw < 0.2:
        class_weight = {1: 10.0 ** g.uniform(-3, 3), -1: 1.0}
    if isinstance(class_weight, dict):
        own = np.where(y == 1, class_weight[1], 1.0)
        scale = lambda w: own  # noqa: E731
    else:
        scale = factor[class_weight]
    m0, m1 = margins(g, n), margins(g, n)
    options = {"sample_weight": w1, "C": draw_C(g), "margin": m1}
    move, back = chosen(g, options, {"sample_weight": w0, "C": C, "margin": m0})
    w_end = move.get("sample_weight", w0)
    C_end = move.get("C", C)
    fit = {"y": y, "sample_weight": w0, "margin": m0}
    return {
        **rows.parts(fit, {"C": C, "class_weight": class_weight}),
        "move": move,
        "back": back,
        "start": forms.hinge(y, C * scale(w0) * w0, m0),
        "end": forms.hinge(y, C_end * scale(w_end) * w_end, move.get("margin", m0)),
    }


def balance(y, w) -> np.ndarray:
    """Return the factors of balanced classes; a class without weight is not asked for."""
    sums = {label: w[y == label].sum() for label in (1, -1)}
    return np.array([w.sum() / (2 * sums[label]) if sums[label] else 1.0 for label in y])


def alive(g, w, y) -> np.ndarray:
    """Give every class a row with weight."""
    for label in (1, -1):
        if not w[y == label].any():
            w[g.choice(np.flatnonzero(y == label))] = w.max()
    return w


def margins(g, n) -> np.ndarray:
    draw = g.random()
    if draw < 0.7:
        return np.ones(n)
    if draw < 0.85:
        return g.uniform(-0.5, 2, n)
    return 10.0 ** g.uniform(-3, 3, n)


def tubes(g, y) -> float | np.ndarray:
    size = float(np.abs(y).max()) or 1.0
    kind = g.choice(["none", "tiny", "some", "wide", "own"], p=[0.3, 0.1, 0.35, 0.1, 0.15])
    if kind == "own":
        return size * g.uniform(0, 0.5, len(y)) * (g.random(len(y)) < 0.8)
    part = {"none": 0.0, "tiny": 1e-9, "some": g.choice([0.1, 0.01, 0.5]), "wide": 10.0}[kind]
    return float(part) * size


def moved_targets(g, X, y) -> np.ndarray:
    """Draw targets to move to, of about the size of those before."""
    size = float(np.abs(y).max()) or 1.0
    other = targets(g, X)
    return other / (float(np.abs(other).max()) or 1.0) * size * 10.0 ** g.uniform(-2, 2)


def svr(g) -> dict:
    rows = draw_rows(g)
    n, C = rows.n, draw_C(g)
    y = targets(g, rows.X)
    w0 = weights(g, n)
    e0 = tubes(g, y)
    here = {"sample_weight": w0, "C": C, "epsilon": e0, "y": y}
    there = {
        "sample_weight": weights(g, n, w0),
        "C": draw_C(g),
        "epsilon": tubes(g, y),
        "y": moved_targets(g, rows.X, y),
    }
    move, back = chosen(g, there, here)
    ends = [
        forms.tube(q["y"], q["C"] * q["sample_weight"], np.broadcast_to(q["epsilon"], n))
        for q in (here, {**here, **move})
    ]
    fit = {"y": y, "sample_weight": w0}
    parts = rows.parts(fit, {"C": C, "epsilon": e0})
    return {**parts, "move": move, "back": back, "start": ends[0], "end": ends[1]}


def quantile(g) -> dict:
    rows = draw_rows(g)
    n, C = rows.n, draw_C(g)
    y = targets(g, rows.X)
    w0 = weights(g, n)
    levels = [0.5, 0.01, 0.99, 0.1, float(g.uniform(0.05, 0.95))]
    here = {"sample_weight": w0, "quantile": levels[g.integers(5)], "C": C, "y": y}
    there = {
        "sample_weight": weights(g, n, w0),
        "quantile": levels[g.integers(5)],
        "C": draw_C(g),
        "y": moved_targets(g, rows.X, y),
    }
    move, back = chosen(g, there, here)
    ends = [
        forms.pinball(q["y"], q["C"] * q["sample_weight"], q["quantile"])
        for q in (here, {**here, **move})
    ]
    fit = {"y": y, "sample_weight": w0}
    parts = rows.parts(fit, {"C": C, "quantile": here["quantile"]})
    return {**parts, "move": move, "back": back, "start": ends[0], "end": ends[1]}


def one_class(g) -> dict:
    rows = draw_rows(g)
    n = rows.n
    w0 = weights(g, n)

    def nu():
        return [float(g.uniform(0.02, 1)), 1.0, float(g.integers(1, n + 1)) / n][
            g.choice(3, p=[0.6, 0.1, 0.3])
        ]

    here = {"sample_weight": w0, "nu": nu()}
    move, back = chosen(g, {"sample_weight": weights(g, n, w0), "nu": nu()}, here)
    there = {**here, **move}
    return {
        **rows.parts({"sample_weight": w0}, {"nu": here["nu"]}),
        "move": move,
        "back": back,
        "start": forms.one_class(w0, here["nu"]),
        "end": forms.one_class(there["sample_weight"], there["nu"]),
    }


def list_pairs(y, qid) -> np.ndarray:
    """Return the pairs: by query, then by the higher relevance, then by document."""
    pairs = []
    for query in np.unique(qid):
        documents = np.flatnonzero(qid == query)
        for level in np.unique(y[documents]):
            upper = documents[y[documents] == level]
            lower = documents[y[documents] < level]
            pairs += [(i, j) for i in upper for j in lower]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def ranking(g) -> dict:
    while True:
        n = int(g.choice([2, 3, 5, 8, 12, 20, 30]))
        y = g.integers(0, int(g.integers(2, 5)), n).astype(float)
        qid = g.integers(0, int(g.choice([1, 1, 2, 4])), n)
        pairs = list_pairs(y, qid)
        if 0 < len(pairs) <= MOST_PAIRS:
            break
    rows = draw_rows(g, n)
    m, C = len(pairs), draw_C(g)
    gain = 2.0 ** y[pairs[:, 0]] - 2.0 ** y[pairs[:, 1]]
    words = {"uniform": np.ones(m), "relevance": gain}
    w0 = weights(g, m)
    given, other = w0, weights(g, m, w0)
    draw = g.random()
    if draw < 0.3:
        given = "uniform" if draw < 0.2 else "relevance"
        w0 = words[given]
    target = "relevance" if g.random() < 0.2 else other
    here = {"pair_weight": given, "C": C}
    move, back = chosen(g, {"pair_weight": target, "C": draw_C(g)}, here)
    there = {**here, **move}
    w1 = there["pair_weight"]
    w1 = words[w1] if isinstance(w1, str) else w1
    parts = rows.parts({"y": y, "qid": qid}, {"C": C, "pair_weight": given})
    parts["matrix"] = PairMatrix(rows.kernel.matrix(rows.X, rows.X), pairs)
    return {
        **parts,
        "move": move,
        "back": back,
        "pairs": pairs,
        "start": forms.ranking(C * w0),
        "end": forms.ranking(there["C"] * w1),
    }
