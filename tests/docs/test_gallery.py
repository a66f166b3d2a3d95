"""Every example of the gallery runs, and draws."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.py"))


def test_there_are_enough():
    assert len(EXAMPLES) >= 16  # the tutorial, and fifteen others


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_has_a_title(example):
    title, underline, *_ = ast.get_docstring(ast.parse(example.read_text("utf-8"))).split("\n")
    assert underline == "=" * len(title)
    assert "# %%" in example.read_text("utf-8")


@pytest.mark.second_stage
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs_and_draws(example, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    pyplot.switch_backend("Agg")
    pyplot.close("all")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    pictures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert pictures and all(picture.axes for picture in pictures)
    assert not list(tmp_path.iterdir()), "an example leaves no files behind"
    pyplot.close("all")
