"""``--start`` and ``--end`` by classes: balanced, or a weight for a label."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

from sklearn.utils.class_weight import compute_sample_weight

import weightpath as wp
from cli.command_line import assert_same_path, drops, features, invoke, invoke_json, line_of_error

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


@pytest.mark.parametrize("target", ["label", "colour", "grade"])
def test_balanced_is_that_of_scikit_learn(columns, file, tmp_path, target):
    invoke_json(
        *("trace", file, "--target", target, "--task", "classification", "--end", "balanced"),
        *("--out", tmp_path, *drops(target)),
    )
    weight = compute_sample_weight("balanced", columns[target])
    path = wp.SVC().fit(features(columns), columns[target]).reweight(weight)
    assert_same_path(tmp_path / "path.npz", path)


def test_weights_of_labels(columns, file, tmp_path):
    invoke_json(
        *("trace", file, "--target", "colour", "--task", "classification", "--start", "red=0.5"),
        *("--end", "red=5, blue=2", "--out", tmp_path, *drops("colour")),
    )
    colour = columns["colour"]
    start = np.where(colour == "red", 0.5, 1.0)
    end = np.select([colour == "red", colour == "blue"], [5.0, 2.0], 1.0)
    path = wp.SVC().fit(features(columns), colour, sample_weight=start).reweight(end)
    assert_same_path(tmp_path / "path.npz", path)


def test_labels_that_are_numbers(columns, file, tmp_path):
    invoke_json(
        *("trace", file, "--target", "grade", "--task", "classification", "--end", "2=3"),
        *("--out", tmp_path, *drops("grade")),
    )
    weight = np.where(columns["grade"] == 2, 3.0, 1.0)
    path = wp.SVC().fit(features(columns), columns["grade"]).reweight(weight)
    assert_same_path(tmp_path / "path.npz", path)


@pytest.mark.parametrize(
    ("task", "target", "word", "says"),
    [
        (
            "classification",
            "label",
            "eggs=5",
            "there is no class 'eggs'; the classes are ham, spam",
        ),
        ("classification", "label", "spam=x", "a positive number, as in spam=5"),
        ("classification", "label", "spam=0", "a positive number"),
        ("classification", "label", "spam=-1", "a positive number"),
        ("classification", "label", "spam=", "a positive number"),
        ("regression", "value", "balanced", "are for --task classification"),
        ("regression", "value", "spam=5", "are for --task classification"),
    ],
)
def test_words_that_will_not_do(file, tmp_path, task, target, word, says):
    words = ("--target", target, "--task", task, "--end", word, *drops(target))
    assert says in line_of_error(invoke("trace", file, *words, "--out", tmp_path / "out"))
