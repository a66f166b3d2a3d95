"""What the library promises about itself, judged by the run at hand.

A bar that compares one column with a number is a line of :mod:`benchmarks.limits`; the others are
functions here.
"""

from __future__ import annotations

from benchmarks.limits import EXACT, LIMITS

# Times faster than refitting at every breakpoint.
REFITS = {400: 500.0, 1600: 1500.0}


# Times faster than support vector regression at every breakpoint of the diabetes data.
REGRESSION_REFITS = 300.0

# The largest violation of the lasso, as part of the largest penalty.
LASSO_VIOLATION = 1e-10

# How far the decision values of leave-one-out may be from those of refits.
LEAVE_ONE_OUT_DIFFERENCE = 1e-6

# The time that a larger cache may take, in times of the best smaller one.
LARGER_CACHE = 1.1

# Paths that an exact validation curve may cost.
CURVE_PATHS = 2.0


def judge(tables: dict[str, list[dict]]) -> list[dict]:
    """Return the bars of the tables that were measured."""
    bars = []
    for name, rows in tables.items():
        if name in FUNCTIONS:
            bars += FUNCTIONS[name](rows)
        for limit in LIMITS:
            if limit.table == name:
                bars += [bar for row in rows if (bar := limit.judge(row)) is not None]
    return bars


def of_speed(rows: list[dict]) -> list[dict]:
    bars = []
    for row in rows:
        n = row["n"]
        bars.append(
            _less(
                f"n = {n}: the whole path takes less time than one SVC fit",
                row["path ms"],
                row["one SVC fit ms"],
            )
        )
        if n in REFITS:
            what = f"n = {n}: times faster than SVC at every breakpoint"
            bars.append(_more(what, row["refits / path"], REFITS[n]))
    return bars


def of_regression(rows: list[dict]) -> list[dict]:
    bars = []
    for row in rows:
        name = f"regression, {row['kernel']}"
        what = f"{name}: the whole path takes less time than one SVR fit"
        bars.append(_less(what, row["path ms"], row["one SVR fit ms"]))
        what = f"{name}: times faster than SVR at every breakpoint"
        bars.append(_more(what, row["refits / path"], REGRESSION_REFITS))
    return bars


def of_lasso(rows: list[dict]) -> list[dict]:
    ours = [row for row in rows if row["solver"] == "weightpath"]
    lars = next(row for row in rows if row["solver"] != "weightpath")
    bars = [
        _less("lasso: the whole path takes less time than lars_path", ours[0]["ms"], lars["ms"])
    ]
    for row in ours:
        found = row["largest KKT violation"]
        bars.append(
            _bar(
                f"lasso, columns {row['columns']}: violation over the whole path",
                f"{found:.1e}",
                f"at most {LASSO_VIOLATION:.0e}",
                found <= LASSO_VIOLATION,
            )
        )
    return bars


def of_fits(rows: list[dict]) -> list[dict]:
    bars = []
    for row in rows:
        ratio, found = row["weightpath / scikit-learn"], row["KKT violation"]
        bars += [
            _bar(
                f"fit, {row['data']}: in fits of {row['beside']}",
                f"{ratio:.2f}",
                f"at most {row['asked']:g}",
                ratio <= row["asked"],
            ),
            _bar(
                f"fit, {row['data']}: violation",
                f"{found:.1e}",
                f"at most {EXACT:.0e}",
                found <= EXACT,
            ),
        ]
    return bars


def of_additions(rows: list[dict]) -> list[dict]:
    return [
        _less(
            f"{row['estimator']}, n = {row['n']}: one addition takes less time than a {who} fit",
            row["one addition ms"],
            row[f"{who} fit ms"],
        )
        for row in rows
        for who in ("scikit-learn", "weightpath")
    ]


def of_ordinary(rows: list[dict]) -> list[dict]:
    return [
        _bar(
            f"all weights, {row['data']}, {row['estimator']}: path in fits of scikit-learn",
            f"{row['path / scikit-learn fit']:.2f}",
            f"at most {row['asked']}",
            row["path / scikit-learn fit"] <= float(row["asked"]),
        )
        for row in rows
    ]


def of_influence(rows: list[dict]) -> list[dict]:
    return [
        _bar(
            f"leave-one-out, {row['kernel']}, n = {row['n']}: decision values, difference from "
            "refits",
            f"{row['largest difference from refits']:.1e}",
            f"at most {LEAVE_ONE_OUT_DIFFERENCE:.0e}",
            row["largest difference from refits"] <= LEAVE_ONE_OUT_DIFFERENCE,
        )
        for row in rows
    ]


def of_curves(rows: list[dict]) -> list[dict]:
    row = rows[0]
    cost = row["curve / path"]
    return [
        _bar(
            f"n = {row['n']}, {row['validation rows']} validation rows: the exact curve "
            f"{row['metric']!r} in paths",
            f"{cost:.2f}",
            f"at most {CURVE_PATHS:g}",
            cost <= CURVE_PATHS,
        )
    ]


def of_memory(rows: list[dict]) -> list[dict]:
    bars = []
    for row in rows:
        allowed = row["cache MB"] + row["record MB"] + row["data MB"]
        peak = row["peak of path MB"]
        bars.append(
            _bar(
                f"n = {row['n']}, {row['kernel']}: peak memory of the path: cache, record, data",
                f"{peak:.0f} MB",
                f"{allowed:.0f} MB",
                peak <= allowed,
            )
        )
    return bars


def of_caches(rows: list[dict]) -> list[dict]:
    """A bar for each number of rows: the worst of all sizes of the cache."""
    bars = []
    for n in dict.fromkeys(row["n"] for row in rows):
        for what, name in (("path", "path"), ("both", "fit and path")):
            worst = max(row[f"{what} / best smaller"] for row in rows if row["n"] == n)
            bars.append(
                _bar(
                    f"{name}, n = {n}: time with a larger cache, beside the best smaller one",
                    f"{worst:.2f}",
                    f"at most {LARGER_CACHE:g}",
                    worst <= LARGER_CACHE,
                )
            )
    return bars


FUNCTIONS = {
    "speed": of_speed,
    "ordinary": of_ordinary,
    "regression": of_regression,
    "lasso": of_lasso,
    "fits": of_fits,
    "additions": of_additions,
    "influence": of_influence,
    "curves": of_curves,
    "memory": of_memory,
    "caches": of_caches,
}


def _less(what: str, ms: float, limit_ms: float) -> dict:
    return _bar(what, f"{ms:.3g} ms", f"{limit_ms:.3g} ms", ms < limit_ms)


def _more(what: str, times: float, least: float) -> dict:
    return _bar(what, f"{times:.0f}", f"at least {least:.0f}", times >= least)


def _bar(what: str, measured: str, asked: str, passed: bool) -> dict:
    return {
        "bar": what,
        "measured": measured,
        "asked": asked,
        "verdict": "pass" if passed else "FAIL",
    }
