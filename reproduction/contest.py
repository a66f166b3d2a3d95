"""A contest over the paper's grid: who is measured how often, when a rival is stopped, who won.

Times are those of the processor, one thread. Of every contender the *total* over the steps of a
scheme counts. Ours runs all repetitions. A rival runs at least once and again while its time in
the cell is short; one that has not finished after the cap (ten minutes) is stopped: "more than".

In the paper all kernel values are forgotten before every step. Ours then computes the columns that
its path needs, and sequential minimal optimisation, like LIBSVM given old coefficients, those of
the support vectors (further ones are not charged). For both they are computed by the same code,
ours: NumPy takes two to three times as long, and who wins at small C0 would hang on that. Besides,
both are measured with the values *kept*: both have the whole matrix for nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import mean
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from weightpath.kernels import Kernel

GAMMAS = (10.0, 1.0, 0.1)
C0S = (1.0, 10.0, 100.0, 1e3, 1e4)
# A rival is repeated while all its runs in a cell take less than this.
REPEAT_SECONDS = 20.0
# LIBSVM cannot be stopped by a clock: after so many iterations its pace is known.
PACE_ITERATIONS = 200_000


@dataclass
class Timing:
    """The totals of one contender in one cell; those for kernel columns are apart."""

    seconds: list[float] = field(default_factory=list)
    capped: bool = False
    columns: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return mean(self.seconds)

    def with_columns(self) -> Timing:
        """Return what it takes when kernel values have to be computed."""
        both = zip(self.seconds, self.columns, strict=True)
        return Timing([a + b for a, b in both], self.capped)

    def first(self, count: int) -> Timing:
        """Return the timing over the first repetitions only."""
        return Timing(self.seconds[:count], self.capped)

    @classmethod
    def of(cls, stored: dict) -> Timing:
        """Return the timing that was stored by ``vars``."""
        return cls(**stored)

    def __str__(self) -> str:
        return f"> {self.mean:.0f}" if self.capped else f"{self.mean:.3g}"


def measure_rival(once: Callable[[float], tuple], timing: Timing, wanted: int, cap: float) -> None:
    """Run a rival until it was measured ``wanted`` times or has had its time.

    ``once(max_seconds)`` returns the seconds it took, those that kernel columns would have taken
    besides, and whether it was stopped.
    """
    while len(timing.seconds) < wanted and not timing.capped:
        spent = sum(timing.seconds)
        if timing.seconds and spent + timing.mean > REPEAT_SECONDS:
            return
        seconds, columns, timing.capped = once(cap)
        if timing.capped:
            timing.seconds, timing.columns = [], []
        timing.seconds.append(seconds)
        timing.columns.append(columns)


def column_seconds(X, beta, gamma: float) -> float:
    """Return what the kernel columns of the support vectors take, by the code of our paths."""
    begin = process_time()
    Kernel("rbf", gamma=gamma).columns(X).product(beta)
    return process_time() - begin


def grid(quick: bool) -> list[dict]:
    """Return the cells of the paper's grid, or every other column of its smaller half."""
    weights = C0S[:3:2] if quick else C0S
    return [{"gamma": gamma, "C0": C0} for gamma in GAMMAS for C0 in weights]


def capped_fit(model, X, y, weight, max_seconds: float) -> tuple[float, bool]:
    """Fit a model of scikit-learn; return its seconds and whether it was stopped."""
    allowed, most = PACE_ITERATIONS, np.iinfo(np.int32).max  # LIBSVM counts in 32 bits
    while True:
        model.set_params(max_iter=allowed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            begin = process_time()
            model.fit(X, y, sample_weight=weight)
            seconds = process_time() - begin
        if model.fit_status_ == 0 or seconds >= max_seconds or allowed == most:
            return seconds, model.fit_status_ != 0
        allowed = int(min(allowed * max(1.2 * max_seconds / max(seconds, 1e-9), 2.0), most))


def refit_all(make_model, steps: Iterable, max_seconds: float):
    """Fit scikit-learn at every step; return seconds, whether stopped, and the last model."""
    total, model = 0.0, None
    for X, y, weight in steps:
        model = make_model()
        seconds, stopped = capped_fit(model, X, y, weight, max_seconds - total)
        total += seconds
        if stopped or total >= max_seconds:
            return total, True, None
    return total, False, model
