"""What the library promises about itself, judged by the run at hand."""

from __future__ import annotations

# Times faster than refitting at every breakpoint.
REFITS = {400: 500.0, 1600: 1500.0}


def judge(speed: list[dict], memory: list[dict]) -> list[dict]:
    bars = []
    for row in speed:
        n = row["n"]
        bars.append(
            _bar(
                f"n = {n}: the whole path takes less time than one SVC fit",
                f"{row['path ms']:.3g} ms",
                f"{row['one SVC fit ms']:.3g} ms",
                row["path ms"] < row["one SVC fit ms"],
            )
        )
        if n in REFITS:
            bars.append(
                _bar(
                    f"n = {n}: times faster than SVC at every breakpoint",
                    f"{row['refits / path']:.0f}",
                    f"at least {REFITS[n]:.0f}",
                    row["refits / path"] >= REFITS[n],
                )
            )
    for row in memory:
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


def _bar(what: str, measured: str, asked: str, passed: bool) -> dict:
    return {
        "bar": what,
        "measured": measured,
        "asked": asked,
        "verdict": "pass" if passed else "FAIL",
    }
