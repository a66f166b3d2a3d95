"""``weightpath trace --html``: the page of the path among the results."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import drops, invoke

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


def trace(file, out, *more):
    return invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--C", "5"),
        *("--start", "old", "--end", "new", "--out", out, *drops("label", "old", "new"), *more),
    )


def data_of(page):
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_page_has_path_curve_and_validation_rows(file, validation, tmp_path):
    answer = trace(file, tmp_path, "--html", "--validation", validation)
    assert answer.exit_code == 0, answer.output
    assert str(tmp_path / "path.html") in answer.output
    path, data = wp.load(tmp_path / "path.npz"), data_of(tmp_path / "path.html")
    assert data["title"] == f"{file.name}: weights from old to new"
    assert data["path"]["n"] == path.n_rows and data["path"]["segments"] == len(path)
    found = json.loads((tmp_path / "summary.json").read_text())
    assert data["curve"]["best"]["theta"] == pytest.approx(found["curve"]["best_theta"])
    assert data["judged"]["own"] is False and data["judged"]["labels"]["classes"] == ["ham", "spam"]


def test_without_validation_the_training_rows_are_shown(file, tmp_path):
    assert trace(file, tmp_path, "--html").exit_code == 0
    data = data_of(tmp_path / "path.html")
    assert data["curve"] is None and data["judged"]["own"] is True


def test_page_is_only_written_if_asked_for_and_old_ones_go(file, tmp_path):
    trace(file, tmp_path, "--html")
    assert trace(file, tmp_path).exit_code == 0
    assert not (tmp_path / "path.html").exists()


def test_page_that_is_too_large_is_a_note(file, tmp_path, monkeypatch):
    def refuse(path, *args, **options):
        raise ValueError("The page would have 200 MB.")

    monkeypatch.setattr(wp.SolutionPath, "to_html", refuse)
    answer = trace(file, tmp_path, "--html")
    assert answer.exit_code == 0 and "No page: The page would have 200 MB." in answer.output
    assert not (tmp_path / "path.html").exists() and (tmp_path / "path.npz").exists()
