"""The benchmarks run at tiny sizes and write what they promise; their figures are not judged."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.tables import table_makers

CHECKOUT = Path(__file__).parents[2]


def test_quick_run_writes_all_tables(tmp_path):
    out = tmp_path / "bench"
    command = [sys.executable, "-m", "benchmarks.tables", "--quick", "--out", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=CHECKOUT)
    assert run.returncode == 0, run.stderr
    results = json.loads((out / "results.json").read_text("utf-8"))
    page = (out / "results.md").read_text("utf-8")
    assert list(results) == ["machine", *table_makers(quick=True), "bars"]
    for name in results.keys() - {"machine"}:
        with (out / f"{name}.csv").open(encoding="utf-8") as file:
            assert len(list(csv.DictReader(file))) == len(results[name]) > 0
        assert f"## {name}" in page
    assert results["machine"]["threads used"].startswith("1 ")
    assert all(row["events"] > 0 for row in results["speed"])
    by_path = [row for row in results["accuracy"] if row["solver"] == "path"]
    assert all(row["largest KKT violation"] < 1e-9 for row in by_path)
    for table, column in (
        ("regression", "violation of the path"),
        ("fits", "KKT violation"),
        ("additions", "KKT violation at the end"),
        ("small-changes", "largest violation at the end"),
        ("c-path", "violation of the path"),
        ("ordinary", "violation of the path"),
        ("large-margins", "violation of the path"),
        ("online", "violation at the end"),
        ("slides", "violation at the end"),
        ("linear-programs", "violation of the path"),
        ("readings", "violation of the path"),
        ("influence", "largest difference from refits"),
        ("influence-regression", "largest difference from refits"),
        ("data-values", "largest difference of a worth"),
        ("regions", "largest violation"),
    ):
        assert all(row[column] < 1e-9 for row in results[table]), table
    lasso = [row for row in results["lasso"] if row["solver"] == "weightpath"]
    assert all(row["largest KKT violation"] < 1e-9 for row in lasso)


def test_caches_of_all_sizes_are_measured():
    from benchmarks import caches

    rows = caches.table(caches.QUICK)
    assert len(rows) == len(caches.QUICK) * len(caches.SIZES_MB)
    assert all(row["path s"] > 0.0 and row["both / best smaller"] > 0.0 for row in rows)
