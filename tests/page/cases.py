"""Paths of all kinds, with rows to predict."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import weightpath as wp
from weightpath.page.document import page_data
from weightpath.page.judged_data import Judged

HOSTILE = [
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 2'>",
    "<!--<script>",
    '" onmouseover="window.broken = 3',
    "&lt;b&gt; & ' \u2028 \u2029 \\u003c",
    "${window.broken = 4} `x` $title",
    "\u202e right to left \u0000",
    "\ud800 half of a pair",
]


@dataclass
class Case:
    """A path, and what is shown of it."""

    path: Any
    X: Any = None
    y: Any = None
    metric: str | None = None
    qid: Any = None
    names: Any = None
    weight: Any = None
    options: dict = field(default_factory=dict)

    @property
    def curve(self):
        if self.metric is None:
            return None
        asked = dict(self.options) if self.qid is None else {"qid": self.qid, **self.options}
        return self.path.curve(self.X, self.y, self.metric, sample_weight=self.weight, **asked)

    @property
    def judged(self):
        return Judged(self.X, self.y, self.weight, self.qid)

    def data(self, **options):
        return page_data(
            self.path, self.curve, self.judged, title="A path", names=self.names, **options
        )


def svc(kernel="rbf", n=120, **options):
    toy = wp.datasets.make_toy(n, random_state=0)
    new = wp.datasets.make_toy(80, random_state=1, like=toy)
    model = wp.SVC(C=10, kernel=kernel, **{"gamma": 0.5, **options})
    path = model.fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)
    weight = np.random.default_rng(4).uniform(0.1, 2.0, 80)
    return Case(path, new.X, new.y, "zero_one", weight=weight)


def several_classes(**options):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 2))
    y = np.array(["<b>a", "b&", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)]
    names = [*HOSTILE, *(f"person {i}" for i in range(82))]
    frame = pd.DataFrame(X, columns=["x", "y"], index=pd.Index(names, dtype=object))
    path = wp.SVC(C=2, **options).fit(frame, y).reweight(rng.uniform(0, 3, 90))
    new = rng.normal(size=(40, 2))
    truth = np.array(["<b>a", "b&", "c"])[(new[:, 0] > 0).astype(int) + (new[:, 1] > 0.3)]
    return Case(path, pd.DataFrame(new, columns=["x", "y"]), truth, "accuracy")


def regression(model):
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(70, 1))
    y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=70)
    path = model.fit(X, y).reweight(rng.uniform(0, 3, 70))
    new = rng.uniform(-3, 3, size=(30, 1))
    metric = "pinball" if isinstance(model, wp.QuantileSVR) else "squared"
    return Case(path, new, np.sinc(new[:, 0]), metric)


def one_class():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 2))
    path = wp.OneClassSVM(nu=0.2, gamma=0.5).fit(X).reweight(rng.uniform(0.1, 3, 80))
    return Case(path, 1.5 * rng.normal(size=(50, 2)))


def ranking(kernel="linear"):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(48, 3))
    y = np.clip((X @ [1, 0.5, -0.3] + 0.5 * rng.normal(size=48) + 1).round(), 0, 3)
    qid = np.repeat([7, 8, 9], 16)
    model = wp.RankingSVM(C=0.1, kernel=kernel).fit(X, y, qid=qid)
    path = model.reweight(rng.uniform(0, 3, len(model.pairs_)))
    new = rng.normal(size=(30, 3))
    relevance = np.clip((new @ [1, 0.5, -0.3] + 1).round(), 0, 3)
    return Case(path, new, relevance, "ndcg", qid=np.repeat(["a", "<b>"], 15))


def lasso():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(50, 8))
    y = X[:, 0] - 2 * X[:, 2] + 0.4 * X[:, 5] + 0.3 * rng.normal(size=50)
    frame = pd.DataFrame(X, columns=[f"feature {c}" for c in "abcdefgh"])
    path = wp.Lasso(alpha=0.9).fit(frame, y).move(alpha=0.01)
    return Case(path, frame, y, "squared")


CASES = {
    "svc": svc,
    "several-classes": several_classes,
    "svr": lambda: regression(wp.SVR(C=1, epsilon=0.05, gamma=1)),
    "quantile": lambda: regression(wp.QuantileSVR(C=1, quantile=0.8, gamma=1)),
    "one-class": one_class,
    "ranking": ranking,
    "lasso": lasso,
}
