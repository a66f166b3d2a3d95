"""Data sets of the ordinary kind, each with the estimator that it is used with.

The paper's artificial data have margins of four members. Here margins have hundreds: the kernel is
the default one, and its width is not chosen for the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
    make_classification,
    make_friedman1,
)
from sklearn.preprocessing import StandardScaler

from weightpath.datasets import load_spambase

__all__ = ["FURTHER", "ORDINARY", "OrdinaryCase", "california_like"]

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class OrdinaryCase:
    """Data and an estimator; ``asked``: the fits that a path over all weights may cost."""

    name: str
    load: Callable[[int | None], Rows]
    estimator: str
    options: dict[str, float] = field(default_factory=dict)
    asked: float | None = None

    @property
    def settings(self) -> str:
        """The estimator as a user would write it."""
        words = ", ".join(f"{name}={value:g}" for name, value in self.options.items())
        return f"{self.estimator}({words})"


def classification(n: int | None) -> Rows:
    return make_classification(n or 5000, 20, n_informative=8, flip_y=0.1, random_state=0)


def friedman(n: int | None) -> Rows:
    return make_friedman1(n or 4000, noise=1.0, random_state=0)


def california_like(n: int | None) -> Rows:
    """Eight skewed features, standardised; interactions, a ceiling and heavy-tailed noise.

    Made to look like the California housing data, which cannot be had without a network: incomes
    and counts are log-normal, two features are places on a map with a few centres, and the target
    is positive, capped and noisy.
    """
    n = n or 5000
    random = np.random.default_rng(0)
    amounts = random.lognormal(sigma=[0.5, 0.4, 0.3, 0.8, 1.0], size=(n, 5))
    age = 50.0 * random.beta(2.0, 1.5, n)
    centres = random.normal(scale=2.0, size=(6, 2))
    place = centres[random.integers(6, size=n)] + random.gamma(1.0, 0.5, (n, 2))
    nearness = np.exp(-np.square(place[:, None] - centres[:2]).sum(axis=2).min(axis=1) / 2.0)
    value = 1.2 * np.sqrt(amounts[:, 0]) * (1.0 + nearness) + 0.01 * age
    value += 0.3 * amounts[:, 1] / amounts[:, 2] - 0.1 * np.log(amounts[:, 3]) * nearness
    value += 0.25 * random.standard_t(3, n)
    X = np.column_stack([amounts, age, place])
    return StandardScaler().fit_transform(X), np.clip(value, 0.15, 5.0)


def _standardised(load) -> Callable[[int | None], Rows]:
    def rows(n: int | None) -> Rows:
        X, y = load(return_X_y=True)
        # Every so many rows, as some data sets come class by class.
        some = slice(None) if n is None else slice(None, None, max(1, len(y) // n))
        X, y = X[some], y[some]
        return StandardScaler().fit_transform(X), y

    return rows


def _as_they_are(load) -> Callable[[int | None], Rows]:
    def rows(n: int | None) -> Rows:
        X, y = load(return_X_y=True)
        return X[:n], y[:n]

    return rows


def _spambase(return_X_y: bool) -> Rows:
    data = load_spambase()
    return data.data, data.target


ORDINARY = (
    OrdinaryCase("classification", classification, "SVC", {"C": 1.0}, asked=0.4),
    OrdinaryCase("classification", classification, "SVC", {"C": 100.0}, asked=0.8),
    OrdinaryCase("Friedman", friedman, "SVR", {"C": 1.0, "epsilon": 0.1}, asked=0.4),
    OrdinaryCase("Friedman", friedman, "SVR", {"C": 10.0, "epsilon": 1.0}, asked=0.8),
    OrdinaryCase("Friedman", friedman, "SVR", {"C": 100.0, "epsilon": 0.1}, asked=0.8),
)

FURTHER = (
    OrdinaryCase("diabetes", _standardised(load_diabetes), "SVR", {"C": 1.0, "epsilon": 0.1}),
    OrdinaryCase("diabetes", _standardised(load_diabetes), "SVR", {"C": 100.0, "epsilon": 10.0}),
    OrdinaryCase("breast cancer", _standardised(load_breast_cancer), "SVC", {"C": 1.0}),
    OrdinaryCase("wine", _standardised(load_wine), "SVC", {"C": 1.0}),
    OrdinaryCase("digits", _as_they_are(load_digits), "SVC", {"C": 1.0}),
    OrdinaryCase("spambase", _standardised(_spambase), "SVC", {"C": 1.0}),
    OrdinaryCase("spambase", _standardised(_spambase), "SVC", {"C": 100.0}),
    OrdinaryCase("California-like", california_like, "SVR", {"C": 1.0, "epsilon": 0.1}),
    OrdinaryCase("California-like", california_like, "SVR", {"C": 10.0, "epsilon": 0.3}),
)
