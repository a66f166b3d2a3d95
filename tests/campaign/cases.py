"""What an estimator is given and what a judge needs, made of one set of quantities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from campaign import stairs as forms
from campaign.kernels import KernelChoice
from campaign.operators import FeatureMatrix, KernelMatrix, PairMatrix

__all__ = ["BUILDERS", "Problem", "Rows", "lasso", "list_pairs", "ranking"]


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
    """Training rows with a kernel, and other rows at which models are compared."""

    X: np.ndarray
    kernel: KernelChoice
    extra: np.ndarray

    @property
    def n(self) -> int:
        return len(self.X)

    def parts(self, fit, params) -> dict:
        """Return what every problem with a kernel has."""
        everything = np.vstack([self.X, self.extra])
        with np.errstate(over="ignore"):
            return {
                "kernel": self.kernel.name,
                "params": {**self.kernel.params, **params},
                "fit": {"X": self.kernel.rows_for(self.X, self.X), **fit},
                "matrix": KernelMatrix(self.kernel.matrix(self.X, self.X)),
                "points": self.kernel.rows_for(everything, self.X),
                "values": self.kernel.matrix(everything, self.X),
            }


def svc(rows, here, move) -> dict:
    """SVC; ``here`` has y, C, sample_weight, margin and class_weight."""
    y = here["y"]

    def stairs(q):
        factor = class_factors(q["class_weight"], y, q["sample_weight"])
        return forms.hinge(y, q["C"] * factor * q["sample_weight"], q["margin"])

    fit = {name: here[name] for name in ("y", "sample_weight", "margin")}
    params = {name: here[name] for name in ("C", "class_weight")}
    ends = {"start": stairs(here), "end": stairs({**here, **move})}
    return {**rows.parts(fit, params), **ends, "move": move}


def class_factors(class_weight, y, w) -> np.ndarray:
    """Return the factor of each row; a class without weight is not asked for."""
    if class_weight is None:
        return np.ones(len(y))
    if isinstance(class_weight, dict):
        return np.array([class_weight[label] for label in y])
    total = np.where(y == 1, w[y == 1].sum(), w[y == -1].sum())
    return w.sum() / (2 * np.where(total > 0, total, 1.0))


def svr(rows, here, move) -> dict:
    """SVR; ``here`` has y, C, sample_weight and epsilon."""

    def stairs(q):
        epsilon = np.broadcast_to(q["epsilon"], rows.n)
        return forms.tube(q["y"], q["C"] * q["sample_weight"], epsilon)

    fit = {name: here[name] for name in ("y", "sample_weight")}
    params = {name: here[name] for name in ("C", "epsilon")}
    ends = {"start": stairs(here), "end": stairs({**here, **move})}
    return {**rows.parts(fit, params), **ends, "move": move}


def quantile(rows, here, move) -> dict:
    """QuantileSVR; ``here`` has y, C, sample_weight and quantile."""

    def stairs(q):
        return forms.pinball(q["y"], q["C"] * q["sample_weight"], q["quantile"])

    fit = {name: here[name] for name in ("y", "sample_weight")}
    params = {name: here[name] for name in ("C", "quantile")}
    ends = {"start": stairs(here), "end": stairs({**here, **move})}
    return {**rows.parts(fit, params), **ends, "move": move}


def one_class(rows, here, move) -> dict:
    """OneClassSVM; ``here`` has sample_weight and nu."""
    there = {**here, **move}
    return {
        **rows.parts({"sample_weight": here["sample_weight"]}, {"nu": here["nu"]}),
        "start": forms.one_class(here["sample_weight"], here["nu"]),
        "end": forms.one_class(there["sample_weight"], there["nu"]),
        "move": move,
    }


def ranking(rows, here, move) -> dict:
    """RankingSVM; ``here`` has y, qid, C and pair_weight (an array or a word)."""
    y, qid = here["y"], here["qid"]
    pairs = list_pairs(y, qid)
    words = {
        "uniform": np.ones(len(pairs)),
        "relevance": 2.0 ** y[pairs[:, 0]] - 2.0 ** y[pairs[:, 1]],
    }

    def stairs(q):
        weight = q["pair_weight"]
        return forms.ranking(q["C"] * (words[weight] if isinstance(weight, str) else weight))

    parts = rows.parts({"y": y, "qid": qid}, {name: here[name] for name in ("C", "pair_weight")})
    parts["matrix"] = PairMatrix(parts["values"][: rows.n], pairs)
    ends = {"start": stairs(here), "end": stairs({**here, **move})}
    return {**parts, **ends, "move": move, "pairs": pairs}


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


def lasso(X, here, move, *, sample_weight, centred=True, ridge=0.0, extra=None) -> dict:
    """Lasso; ``here`` has y, alpha and penalty_weight."""
    y, there = here["y"], {**here, **move}
    share = sample_weight / sample_weight.sum()
    matrix = FeatureMatrix(X, np.vstack([y, there["y"]]), share, centred, ridge)
    ends = [
        forms.penalty(
            matrix.correlation(q["y"]),
            q["alpha"] * q["penalty_weight"],
            matrix.reach(q["y"]),
            matrix.offset(q["y"]),
            float(np.abs(q["y"]).max()),
        )
        for q in (here, there)
    ]
    params = {name: here[name] for name in ("alpha", "penalty_weight")}
    points = X if extra is None else np.vstack([X, extra])
    return {
        "kernel": ("p>n" if X.shape[1] >= len(X) else "p<n") + ("+ridge" if ridge else ""),
        "params": {**params, "fit_intercept": centred, "ridge": ridge},
        "fit": {"X": X, "y": y, "sample_weight": sample_weight},
        "move": move,
        "start": ends[0],
        "end": ends[1],
        "matrix": matrix,
        "points": points,
        "values": points.astype(np.longdouble),
    }


BUILDERS = {
    "SVC": svc,
    "SVR": svr,
    "QuantileSVR": quantile,
    "OneClassSVM": one_class,
    "RankingSVM": ranking,
}
