"""What the tests of commands on files share: calls, and files of every kind."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import weightpath as wp
from weightpath.cli.commands import weightpath

__all__ = [
    "assert_same_curve",
    "assert_same_path",
    "drops",
    "features",
    "invoke",
    "invoke_json",
    "line_of_error",
    "read_csv",
    "read_curve",
    "sample",
    "write_csv",
    "write_svmlight",
]


def invoke(*arguments):
    return CliRunner().invoke(weightpath, [str(a) for a in arguments], prog_name="weightpath")


def invoke_json(*arguments) -> dict:
    """Return what a command prints with --json; nothing else may be there."""
    answer = invoke(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def line_of_error(answer) -> str:
    """Return the one line that a command says about bad input."""
    assert answer.exit_code == 2, answer.output
    assert isinstance(answer.exception, SystemExit)
    lines = answer.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("Error: "), answer.stderr
    return lines[0]


def sample(n: int = 60, seed: int = 0) -> dict[str, np.ndarray]:
    """Columns of a table: features a, b, c, targets of all tasks, weights, queries."""
    random = np.random.default_rng(seed)
    a, b, c = random.normal(size=(3, n))
    noisy = a + 0.5 * b**2 + 0.7 * random.normal(size=n)
    return {
        "a": a,
        "b": b,
        "c": 10 * c,
        "label": np.where(noisy > 0.5, "spam", "ham"),
        "colour": np.array(["red", "green", "blue"])[np.digitize(noisy, [0, 1])],
        "value": 3 * noisy,
        "grade": np.digitize(noisy, [0, 1]),
        "query": np.repeat([f"q{k}" for k in range(6)], n // 6),
        "old": random.uniform(0.2, 1, size=n),
        "new": np.where(random.uniform(size=n) < 0.2, 0.0, random.uniform(size=n)),
    }


def write_csv(file: Path, columns: dict, header: bool = True, separator: str = ",") -> Path:
    lines = [separator.join(columns)] if header else []
    for row in zip(*columns.values(), strict=True):
        lines.append(separator.join(v if isinstance(v, str) else f"{v}" for v in row))
    file.write_text("\n".join(lines) + "\n")
    return file


def write_svmlight(file: Path, X, y, qid=None) -> Path:
    lines = []
    for k, row in enumerate(X):
        query = "" if qid is None else f" qid:{qid[k]}"
        values = " ".join(f"{j}:{value!r}" for j, value in enumerate(row.tolist(), 1) if value)
        lines.append(f"{y[k]:g}{query} {values} # row {k}")
    file.write_text("\n".join(lines) + "\n")
    return file


def features(columns: dict) -> np.ndarray:
    return np.column_stack([columns[name] for name in "abc"])


# What samples have besides features.
OTHERS = ["label", "colour", "value", "grade", "query", "old", "new"]


def drops(*kept, scale="none"):
    """Options that leave the features a, b, c, by default as they are in the file."""
    words = [word for name in OTHERS if name not in kept for word in ("--drop", name)]
    return [*words, "--scale", scale]


def read_csv(file):
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def read_curve(file):
    return np.array([[float(v) for v in row.values()] for row in read_csv(file)])


def assert_same_path(file, path, places=(0.0, 0.37, 1.0)):
    read = wp.load(file)
    assert np.array_equal(read.theta, path.theta)
    assert np.array_equal(read.events, path.events)
    for theta in places:
        assert np.array_equal(read.at(theta).dual_coef, path.at(theta).dual_coef)
        assert np.array_equal(read.at(theta).intercept, path.at(theta).intercept)


def assert_same_curve(file, curve):
    rows = read_curve(file)
    length = rows[:, 1] - rows[:, 0]
    intervals = np.column_stack((curve.edges[:-1], curve.edges[1:], curve.coefficients))
    assert np.array_equal(rows[length > 0], intervals)
    points = rows[length == 0]
    assert np.array_equal(points[:, 0], curve.point_theta)
    assert np.array_equal(points[:, 2], curve.point_values)
