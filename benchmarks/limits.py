"""Bars that compare one column of a table with a number: what is asked of small and large paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["LIMITS", "Limit"]

# The largest violation of an optimality condition, relative to the largest target or level.
EXACT = 1e-9


@dataclass(frozen=True)
class Limit:
    """What is asked of a column: at most, or at least, this.

    ``asked`` is a number, or one for each value of the column ``by``; rows with other values are
    not judged, as at the tiny sizes of a quick run, nor are rows that differ from ``where``.
    ``what`` names a row, with blanks for columns.
    """

    table: str
    column: str
    what: str
    asked: float | Mapping[object, float]
    at_least: bool = False
    by: str = "n"
    where: tuple[str, object] | None = None

    def judge(self, row: Mapping[str, object]) -> dict | None:
        asked = self.asked
        if self.where is not None and row[self.where[0]] != self.where[1]:
            return None
        if isinstance(asked, Mapping):
            if row[self.by] not in asked:
                return None
            asked = asked[row[self.by]]
        found = float(row[self.column])  # type: ignore[arg-type]
        passed = found >= asked if self.at_least else found <= asked
        digits = ".1e" if "violation" in self.column else ".3g"
        return {
            "bar": self.what.format_map(row),
            "measured": f"{found:{digits}}",
            "asked": f"at {'least' if self.at_least else 'most'} {asked:g}",
            "verdict": "pass" if passed else "FAIL",
        }


LIMITS = (
    Limit("gradients", "% of a fit", "gradient, {data}, n = {n}: % of a fit", {1600: 5.0}),
    Limit(
        "gradients",
        "largest difference from fits",
        "gradient, {data}, n = {n}: difference from central differences",
        {1600: 1e-7},
    ),
    Limit(
        "gradients-layer",
        "times faster, both",
        "fit and gradient, {data}: times faster than {rival}",
        # Not of the third form, for users who know that the rank is low: see docs/benchmarks.md.
        {
            "cvxpylayers, kernel matrix, n = 300": 50.0,
            "cvxpylayers, kernel matrix, Clarabel, n = 300": 50.0,
        },
        at_least=True,
        by="rival",
    ),
    Limit(
        "speed",
        "SVC fit / path",
        "n = {n}: whole paths in the time of one SVC fit",
        {400: 2.0, 1600: 3.0, 6400: 5.0},
        at_least=True,
    ),
    Limit(
        "small-changes",
        "SVC fit / one weight",
        "one weight moved, n = {n}: times faster than an SVC fit",
        {400: 12.0, 1600: 60.0, 6400: 200.0},
        at_least=True,
    ),
    Limit(
        "small-changes",
        "SVC fit / addition",
        "one row added, n = {n}: times faster than an SVC fit",
        {400: 8.0, 1600: 30.0, 6400: 100.0},
        at_least=True,
    ),
    Limit(
        "small-changes",
        "largest violation at the end",
        "small changes, n = {n}: violation at the end",
        EXACT,
    ),
    Limit("batch", "us each", "{paths} changes in one call, n = {n}: us each", {400: 60.0}),
    Limit(
        "batch",
        "gain of two threads",
        "{paths} changes in one call, n = {n}: gain of two threads",
        {400: 1.8},
        at_least=True,
    ),
    Limit(
        "c-path",
        "path / SVC fit",
        "C path, n = {n}: in SVC fits",
        {400: 1.5, 1600: 1.0, 6400: 1.0},
    ),
    Limit("c-path", "violation of the path", "C path, n = {n}: violation", EXACT),
    Limit(
        "ordinary", "violation of the path", "all weights, {data}, {estimator}: violation", EXACT
    ),
    Limit(
        "linear-programs",
        "violation of the path",
        "linear programs, {estimator}, {kernel}, n = {n}: violation",
        EXACT,
    ),
    Limit(
        "online",
        "refit / arrival",
        "online, {arrivals at once} at once, {in a row} in a row: times faster than a refit",
        {1: 20.0, 20: 6.0},
        at_least=True,
        by="arrivals at once",
        where=("path", "when read"),
    ),
    Limit(
        "online",
        "violation at the end",
        "online, {arrivals at once} at once, {in a row} in a row: violation at the end",
        EXACT,
    ),
    # A row of the window has 160 bytes: nothing of a row, a path or an event is left behind.
    Limit("slides", "grown by MB", "{slides} slides: growth of the memory, MB", 1.0),
    Limit("slides", "violation at the end", "{slides} slides: violation at the end", EXACT),
    Limit(
        "readings",
        "model_at / building",
        "n = {n}: model_at in estimators built",
        {6400: 1.0},
    ),
    Limit(
        "readings",
        "certificate / path",
        "n = {n}: certificate of the whole path in paths",
        {400: 10.0, 1600: 10.0, 6400: 10.0},
    ),
    Limit(
        "influence",
        "leave-one-out / SVC fit",
        "leave-one-out, {kernel}, n = {n}: cost in SVC fits",
        {"rbf": 4.0, "linear": 20.0},
        by="kernel",
    ),
    Limit(
        "influence-regression",
        "leave-one-out ms",
        "leave-one-out, diabetes, {estimator}, n = {n}: ms",
        {442: 30.0},
    ),
    Limit(
        "data-values",
        "Shapley s",
        "Shapley values, {model}, n = {n}, {permutations} permutations: s",
        {200: 30.0},
    ),
    Limit(
        "selective",
        "parametric-si / weightpath",
        "selective inference, n = {n}, p = {p}: times faster than parametric-si",
        {10: 20.0, 20: 20.0, 50: 20.0, 100: 20.0},
        at_least=True,
        by="p",
    ),
    Limit(
        "selective",
        "largest difference of p-values",
        "selective inference, n = {n}, p = {p}: difference of p-values from parametric-si",
        {10: 1e-8, 20: 1e-8, 50: 1e-8, 100: 1e-8},
        by="p",
    ),
    Limit(
        "selective-null",
        "p-value of uniform",
        "selective p-values under the null, given the {given}: p-value of uniform",
        1e-3,
        at_least=True,
    ),
    Limit(
        "conformal",
        "ms a row",
        "{method}, n = {n}: ms a new row",
        {1000: 2.0, 400: 3.0, 442: 1.0},
    ),
    Limit("conformal", "wrong", "{method}, n = {n}: against refits", 1e-6),
    Limit(
        "large-margins",
        "ms an event",
        "margin from {first margin} to {last margin}, n = {n}: ms an event",
        {2000: 6.0},
    ),
    Limit(
        "large-margins",
        "no events ms",
        "margin {last margin}, n = {n}: ms of a reweighting without events",
        {2000: 10.0},
    ),
    Limit("large-margins", "violation of the path", "large margins, n = {n}: violation", EXACT),
    Limit(
        "regions",
        "regions a second",
        "plane of class costs, n = {n}: regions a second",
        {400: 10_000.0},
        at_least=True,
    ),
    Limit(
        "regions",
        "plane s",
        "plane of class costs, n = {n}: seconds",
        {400: 10.0, 1600: 300.0},
    ),
    Limit("regions", "uncovered", "plane of class costs, n = {n}: area not covered", EXACT),
    Limit("regions", "largest violation", "plane of class costs, n = {n}: violation", EXACT),
    Limit(
        "scale",
        "fit / rival",
        "{data}, n = {n}: a fit, in fits of scikit-learn",
        {4000: 20.0, 100_000: 3.0},
    ),
    Limit(
        "scale",
        "reweighted / rival",
        "{data}, n = {n}: 1 % reweighted, in fits of scikit-learn",
        {50_000: 0.1, 100_000: 0.5},
    ),
    Limit(
        "scale",
        "rows touched %",
        "{data}, n = {n}: rows that an event looks at, in percent",
        {100_000: 10.0, 1_000_000: 10.0},
    ),
    Limit(
        "scale",
        "one row removed ms",
        "{data}, n = {n}: ms of a removal",
        {100_000: 50.0, 1_000_000: 1000.0},
    ),
    Limit("scale", "1 % removed s", "{data}, n = {n}: s of a removal of 1 %", {4000: 0.1}),
    Limit(
        "scale",
        "peak MB",
        "{data}, n = {n}: peak memory in MB",
        {100_000: 2000.0, 1_000_000: 4000.0},
    ),
    Limit("scale", "violation", "{data}, n = {n}: violation", EXACT),
    Limit("end-to-end", "violation", "end to end, {data}, n = {n}: violation", EXACT),
    Limit(
        "cluster",
        "one worker / busiest",
        "{case}, n = {n}: times less work for the busiest than one worker has",
        {"two workers": 1.7},
        at_least=True,
        by="case",
    ),
    Limit(
        "cluster",
        "largest difference",
        "{case}, n = {n}: difference of decision values",
        0.0,
    ),
)
