"""Generated models of every estimator, and central differences of exact fits to judge gradients.

A case fits from scratch at any quantities; the judge knows nothing of how gradients are found.
Between two breakpoints solutions are straight lines in most quantities, so that two differences of
different width agree; where they do not, a breakpoint is nearby, and that entry is not judged. How
many are judged is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import weightpath as wp

# Half the width of the differences, as a fraction of the size of a quantity.
WIDTH = 1e-4

KERNELS = ("rbf", "linear", "poly")


@dataclass(frozen=True)
class Case:
    """Quantities, what fits a model at them, and what its decision values are."""

    quantities: dict[str, Any]
    fit: Callable[[dict[str, Any]], Any]
    X: np.ndarray
    method: str

    def values(self, quantities: dict[str, Any]) -> np.ndarray:
        return getattr(self.fit(quantities), self.method)(self.X)


def make(name: str, seed: int) -> Case:
    """Return a generated case of an estimator."""
    return _MAKERS[name](np.random.default_rng(seed), KERNELS[seed % 3])


def names() -> tuple[str, ...]:
    return tuple(_MAKERS)


def differences(case: Case, cotangent: np.ndarray, name: str, index: int | None) -> tuple:
    """Return the derivative by central differences, and whether no breakpoint is nearby."""
    present = case.quantities[name]
    size = float(np.mean(np.abs(present)))

    def slope(width: float) -> float:
        ends = []
        for sign in (1.0, -1.0):
            moved = np.array(present, dtype=np.float64)
            moved[() if index is None else index] += sign * width
            moved = float(moved) if index is None else moved
            ends.append(np.sum(cotangent * case.values({**case.quantities, name: moved})))
        return float(ends[0] - ends[1]) / (2.0 * width)

    wide, narrow = slope(WIDTH * size), slope(0.5 * WIDTH * size)
    # The error of second order cancels, for quantities in which solutions are curved.
    refined = (4.0 * narrow - wide) / 3.0
    scale = max(abs(wide), abs(narrow), float(np.abs(cotangent).sum()) / size)
    return refined, abs(wide - narrow) <= 1e-6 * scale


def _classes(random: np.random.Generator, n: int, n_classes: int) -> tuple:
    X = random.normal(size=(n, 3))
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.6 * random.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def _values(random: np.random.Generator, n: int, p: int = 3) -> tuple:
    X = random.normal(size=(n, p))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=n)


def _settings(kernel: str) -> dict[str, Any]:
    return {"kernel": kernel, "gamma": 0.4, "coef0": 1.0, "degree": 2}


def _weights(random: np.random.Generator, n: int) -> np.ndarray:
    return random.uniform(0.3, 2.0, n)


def _svc(n_classes: int = 2, shape: str = "ovr", class_weight: Any = None) -> Callable:
    def maker(random: np.random.Generator, kernel: str) -> Case:
        n = 36
        X, y = _classes(random, n, n_classes)
        own = {**_settings(kernel), "decision_function_shape": shape, "class_weight": class_weight}
        quantities = {
            "sample_weight": _weights(random, n),
            "C": 10.0 ** random.uniform(-1, 1.5),
            "margin": random.uniform(0.5, 1.5, n),
        }

        def fit(at: dict[str, Any]) -> Any:
            model = wp.SVC(at["C"], **own)
            return model.fit(X, y, at["sample_weight"], margin=at["margin"])

        return Case(quantities, fit, random.normal(size=(6, 3)), "decision_function")

    return maker


def _nu_svc(n_classes: int) -> Callable:
    def maker(random: np.random.Generator, kernel: str) -> Case:
        n = 36
        X, y = _classes(random, n, n_classes)
        if n_classes > 2 and kernel == "linear":
            # Overlapping classes have no small share with a linear function.
            kernel = "rbf"
        own = {**_settings(kernel), "decision_function_shape": "ovo"}
        nu = random.uniform(0.72, 0.8) if kernel == "linear" else random.uniform(0.4, 0.7)
        quantities = {"sample_weight": random.uniform(0.8, 1.2, n), "nu": nu}

        def fit(at: dict[str, Any]) -> Any:
            return wp.NuSVC(at["nu"], **own).fit(X, y, at["sample_weight"])

        return Case(quantities, fit, random.normal(size=(6, 3)), "decision_function")

    return maker


def _svr(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    X, y = _values(random, n)
    quantities = {
        "sample_weight": _weights(random, n),
        "C": 10.0 ** random.uniform(-1, 1),
        "y": y,
        "epsilon": random.uniform(0.05, 0.3, n),
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.SVR(at["C"], epsilon=at["epsilon"], **_settings(kernel))
        return model.fit(X, at["y"], at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, 3)), "predict")


def _quantile(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    X, y = _values(random, n)
    quantities = {
        "sample_weight": _weights(random, n),
        "C": 10.0 ** random.uniform(-1, 1),
        "y": y,
        "quantile": random.uniform(0.2, 0.8),
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.QuantileSVR(at["C"], at["quantile"], **_settings(kernel))
        return model.fit(X, at["y"], at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, 3)), "predict")


def _nu_svr(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    X, y = _values(random, n)
    quantities = {
        "sample_weight": _weights(random, n),
        "C": 10.0 ** random.uniform(-1, 1),
        "y": y,
        "nu": random.uniform(0.2, 0.6),
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.NuSVR(at["nu"], C=at["C"], **_settings(kernel))
        return model.fit(X, at["y"], at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, 3)), "predict")


def _one_class(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    # Away from the origin, around which a linear machine of one class is zero.
    X = random.normal(size=(n, 3)) + 3.0
    quantities = {"sample_weight": _weights(random, n), "nu": random.uniform(0.1, 0.7)}

    def fit(at: dict[str, Any]) -> Any:
        model = wp.OneClassSVM(nu=at["nu"], **_settings(kernel))
        return model.fit(X, sample_weight=at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, 3)) + 3.0, "decision_function")


def _ranking(random: np.random.Generator, kernel: str) -> Case:
    X, y = _classes(random, 16, 3)
    query = np.repeat([1, 2], 8)
    n_pairs = len(wp.RankingSVM(**_settings(kernel)).fit(X, y, query).pairs_)
    quantities = {"pair_weight": _weights(random, n_pairs), "C": 10.0 ** random.uniform(-2, 0)}

    def fit(at: dict[str, Any]) -> Any:
        model = wp.RankingSVM(at["C"], pair_weight=at["pair_weight"], **_settings(kernel))
        return model.fit(X, y, query)

    return Case(quantities, fit, random.normal(size=(6, 3)), "decision_function")


def _lasso(random: np.random.Generator, kernel: str) -> Case:
    n, p = 30, 8
    X = random.normal(size=(n, p)) @ random.normal(size=(p, p)) + 1.0
    y = X[:, 0] - X[:, 1] + 0.5 * random.normal(size=n)
    own = {"fit_intercept": kernel != "linear", "ridge": 0.1 if kernel == "poly" else 0.0}
    quantities = {
        "sample_weight": _weights(random, n),
        "alpha": 10.0 ** random.uniform(-2, 0),
        "penalty_weight": random.uniform(0.5, 2.0, p),
        "y": y,
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.Lasso(at["alpha"], penalty_weight=at["penalty_weight"], **own)
        return model.fit(X, at["y"], at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, p)), "predict")


def _l1_svc(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    X, y = _classes(random, n, 3 if kernel == "poly" else 2)
    quantities = {
        "sample_weight": _weights(random, n),
        "C": 10.0 ** random.uniform(-0.5, 1),
        "margin": random.uniform(0.5, 1.5, n),
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.L1SVC(at["C"], **_settings(kernel))
        return model.fit(X, y, at["sample_weight"], margin=at["margin"])

    return Case(quantities, fit, random.normal(size=(6, 3)), "decision_function")


def _l1_svr(random: np.random.Generator, kernel: str) -> Case:
    n = 36
    X, y = _values(random, n)
    quantities = {
        "sample_weight": _weights(random, n),
        "C": 10.0 ** random.uniform(-0.5, 1),
        "y": y,
        "epsilon": random.uniform(0.05, 0.3, n),
    }

    def fit(at: dict[str, Any]) -> Any:
        model = wp.L1SVR(at["C"], epsilon=at["epsilon"], **_settings(kernel))
        return model.fit(X, at["y"], at["sample_weight"])

    return Case(quantities, fit, random.normal(size=(6, 3)), "predict")


def _pursuit(random: np.random.Generator, kernel: str) -> Case:
    n, p = 12, 30
    X = random.normal(size=(n, p))
    y = X[:, 0] + 0.3 * random.normal(size=n)
    quantities = {"penalty_weight": random.uniform(0.5, 2.0, p), "y": y}

    def fit(at: dict[str, Any]) -> Any:
        return wp.BasisPursuit(at["penalty_weight"]).fit(X, at["y"])

    return Case(quantities, fit, random.normal(size=(6, p)), "predict")


_MAKERS = {
    "SVC": _svc(),
    "SVC balanced": _svc(class_weight="balanced"),
    "SVC factors": _svc(class_weight={0: 2.0}),
    "SVC, three classes": _svc(3),
    "SVC, three classes, pairs": _svc(3, "ovo", "balanced"),
    "SVR": _svr,
    "QuantileSVR": _quantile,
    "OneClassSVM": _one_class,
    "NuSVC": _nu_svc(2),
    "NuSVC, three classes": _nu_svc(3),
    "NuSVR": _nu_svr,
    "RankingSVM": _ranking,
    "Lasso": _lasso,
    "L1SVC": _l1_svc,
    "L1SVR": _l1_svr,
    "BasisPursuit": _pursuit,
}
