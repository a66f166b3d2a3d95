"""The demonstration: one path on the toy data, judged, timed and compared with refitting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.utils import Bunch

from weightpath.curves import Curve
from weightpath.datasets import make_toy
from weightpath.estimators import SVC
from weightpath.path import SolutionPath

__all__ = ["TIGHT", "Agreement", "Times", "ToyStudy", "study_toy"]

N_VALIDATION = 1000
REPETITIONS = 5
# Breakpoints at which the model is fitted again, fewer where a fit takes long.
MOST_REFITS, FEWEST_REFITS, ROWS_REFITTED = 25, 5, 20_000
# LIBSVM's tolerance where its answer is compared with the path, not only its time.
TIGHT = 1e-10


@dataclass(frozen=True)
class Times:
    """Seconds: of the whole path, of one fit, and of a refit in the mean."""

    path: float
    one_fit: float
    mean_refit: float


@dataclass(frozen=True)
class Agreement:
    """How the path compares with LIBSVM at some of the breakpoints."""

    n_places: int
    largest_difference: float


@dataclass(frozen=True, eq=False)
class ToyStudy:
    """What the demonstration has found."""

    train: Bunch
    validation: Bunch
    path: SolutionPath
    curve: Curve
    violation: float
    gaps: tuple[float, float]
    times: Times
    agreement: Agreement

    @property
    def n_breakpoints(self) -> int:
        """How many refits would visit every breakpoint."""
        return len(self.path.theta)

    @property
    def all_refits(self) -> float:
        """Seconds to fit again at every breakpoint, scaled up from those measured."""
        return self.times.mean_refit * self.n_breakpoints


def study_toy(n: int, seed: int, announce: Callable[[str], None]) -> ToyStudy:
    """Follow the path and measure everything; ``announce`` is called with each step."""
    announce("Following the path")
    train = make_toy(n, random_state=seed)
    validation = make_toy(N_VALIDATION, random_state=seed + 1, like=train)
    path = _fitted(train).reweight(train.w_new)
    announce("Checking it against the data")
    violation = path.kkt_violation()
    gaps = path.duality_gap(0.0), path.duality_gap(1.0)
    announce("Tracing the validation error")
    curve = path.curve(validation.X, validation.y, "zero_one", sample_weight=validation.cost)
    announce("Timing it against scikit-learn")
    places = _sample(path.theta, n)
    times = _time(train, places)
    announce("Comparing it with LIBSVM at a tight tolerance")
    largest = max(_difference(train, path, theta) for theta in places)
    agreement = Agreement(len(places), largest)
    return ToyStudy(train, validation, path, curve, violation, gaps, times, agreement)


def _fitted(train: Bunch) -> SVC:
    return SVC(C=train.C, gamma=train.gamma).fit(train.X, train.y, sample_weight=train.w_old)


def _sample(theta: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    count = max(FEWEST_REFITS, min(MOST_REFITS, ROWS_REFITTED // n))
    count = min(count, len(theta))
    sample: NDArray[np.float64] = theta[np.linspace(0, len(theta) - 1, count).round().astype(int)]
    return sample


def _time(train: Bunch, places: NDArray[np.float64]) -> Times:
    """Time path, single fit and refits in turns, so that a busy moment hits all of them."""
    path: list[float] = []
    one_fit: list[float] = []
    refits: list[float] = []
    for repetition in range(REPETITIONS):
        model = _fitted(train)
        path.append(_seconds(partial(model.reweight, train.w_new)))
        one_fit.append(_seconds(partial(_refit, train, 1.0)))
        turn = places[repetition::REPETITIONS]
        refits += [_seconds(partial(_refit, train, theta)) for theta in turn]
    return Times(median(path), median(one_fit), mean(refits))


def _seconds(action: Callable[[], object]) -> float:
    begin = perf_counter()
    action()
    return perf_counter() - begin


def _refit(train: Bunch, theta: float, tol: float = 1e-3) -> svm.SVC:
    weight = (1.0 - theta) * train.w_old + theta * train.w_new
    model = svm.SVC(C=train.C, gamma=train.gamma, tol=tol)
    return model.fit(train.X, train.y, sample_weight=weight)


def _difference(train: Bunch, path: SolutionPath, theta: float) -> float:
    refit = _refit(train, theta, TIGHT).decision_function(train.X)
    return float(np.abs(path.decision_function(train.X, theta) - refit).max())
