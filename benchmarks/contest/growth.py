"""How times grow with the number of rows: seconds ~ factor * n ** exponent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.contest.entry import FINISHED, Entry


@dataclass(frozen=True)
class Growth:
    """A power law, fitted by least squares on the logarithms.

    Attributes
    ----------
    exponent, factor : float
        Of the law.
    n_sizes : int
        The sizes behind it.
    """

    exponent: float
    factor: float
    n_sizes: int

    def seconds(self, n):
        """What the law says of so many rows."""
        return self.factor * np.asarray(n, dtype=float) ** self.exponent


def fit_growth(n: Sequence[float], seconds: Sequence[float]) -> Growth | None:
    """Fit the law; ``None`` with fewer than two sizes.

    Examples
    --------
    >>> from benchmarks.contest.growth import fit_growth
    >>> law = fit_growth([100, 200, 400], [0.01, 0.04, 0.16])
    >>> print(f"{law.exponent:.2f} {law.seconds(800):.2f}")
    2.00 0.64
    """
    if len(set(n)) < 2:
        return None
    slope, intercept = np.polyfit(np.log(n), np.log(seconds), 1)
    return Growth(float(slope), float(np.exp(intercept)), len(set(n)))


def growths(entries: Iterable[Entry]) -> dict[tuple[str, str], Growth]:
    """The laws of all competitors, by family and solver, from the times that are known."""
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for entry in entries:
        if entry.status == FINISHED and entry.path_s:
            points.setdefault((entry.family, entry.solver), []).append((entry.n, entry.path_s))
    laws = {}
    for key, known in points.items():
        law = fit_growth(*zip(*known, strict=True))
        if law is not None:
            laws[key] = law
    return laws
