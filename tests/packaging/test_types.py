"""What a user's type checker sees of the installed package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import weightpath as wp

SOURCES = Path(__file__).parents[2] / "src" / "weightpath"

# Ten lines, and what is to be said of the names in them.
SCRIPT = """\
import numpy as np
import weightpath as wp

X, y = np.eye(4), np.array([1, -1, 1, -1])
model = wp.SVC(C=10, gamma=0.5).fit(X, y, sample_weight=np.ones(4))
path = model.reweight(np.array([1.0, 2.0, 1.0, 2.0]))
curve = path.curve(X, y, "zero_one")
best = curve.best
chosen = path.model_at(best.theta)
search = wp.PathSearchCV(wp.SVC(), "zero_one", cv=2).fit(X, y, start=np.ones(4), end=np.ones(4))
"""
REVEALED = {
    "model": "weightpath.estimators.svc.SVC",
    "model.predict(X)": "numpy.ndarray",
    "path": "weightpath.path.solution_path.SolutionPath",
    "path.theta": "numpy.ndarray",
    "path.at(0.5)": "weightpath.path.solution.Solution",
    "curve": "weightpath.curves.curve.Curve",
    "curve(0.5)": "float",
    "curve(path.theta)": "numpy.ndarray",
    "2 * curve - 1": "weightpath.curves.curve.Curve",
    "best": "weightpath.curves.best.Best",
    "best.theta": "float",
    "chosen": "weightpath.estimators.base.PathEstimator",
    "chosen.reweight([1.0])": "weightpath.path.solution_path.SolutionPath",
    "search": "weightpath.selection.search.PathSearchCV",
    "search.predict(X)": "numpy.ndarray",
    "search.curve_": "weightpath.curves.curve.Curve",
    "search.best_theta_": "float",
    "search.best_estimator_": "weightpath.estimators.base.PathEstimator",
    "wp.leave_one_out(model)": "weightpath.selection.leave_one_out.LeaveOneOut",
    'wp.load("file")': "weightpath.path.solution_path.SolutionPath",
}
# Mistakes, and the code of the error for each.
MISTAKES = {
    "wp.SCV": "attr-defined",
    'wp.SVC(C="ten")': "arg-type",
    "wp.SVC().move(c=3.0)": "call-arg",
    'path.at("middle")': "arg-type",
    "curve + path": "operator",
}


def checked(folder: Path, lines: list[str]) -> tuple[int, list[str]]:
    """Return the exit code of a user's ``mypy --strict`` and what it says, line by line."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    if Path(wp.__file__).parent == SOURCES:
        pytest.skip("a type checker does not see an editable install")
    (folder / "script.py").write_text(SCRIPT + "\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=cache", "script.py"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert not answer.stderr
    return answer.returncode, answer.stdout.splitlines()


@pytest.mark.second_stage
def test_a_users_type_checker_sees_real_types(tmp_path):
    code, said = checked(tmp_path, [f"reveal_type({name})" for name in REVEALED])
    assert code == 0, said
    found = [line.split("Revealed type is ")[1] for line in said if "Revealed type is " in line]
    assert len(found) == len(REVEALED)
    for (name, expected), revealed in zip(REVEALED.items(), found, strict=True):
        # Names of built-in types are written in full by some versions.
        assert re.match(rf'"(tuple\[.*fallback=)?(builtins\.)?{re.escape(expected)}\b', revealed), (
            name,
            revealed,
        )


@pytest.mark.second_stage
def test_a_users_type_checker_finds_mistakes(tmp_path):
    code, said = checked(tmp_path, list(MISTAKES))
    assert code == 1
    first = SCRIPT.count("\n") + 1
    found = {int(line.split(":")[1]): line for line in said if ": error: " in line}
    assert sorted(found) == list(range(first, first + len(MISTAKES)))
    for line, (mistake, expected) in enumerate(MISTAKES.items(), start=first):
        assert found[line].endswith(f"[{expected}]"), mistake
