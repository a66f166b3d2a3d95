"""``weightpath trace``: files of every kind are read as the same rows."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import (
    assert_same_curve,
    assert_same_path,
    drops,
    features,
    invoke_json,
    write_csv,
    write_svmlight,
)

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


def test_svmlight_without_queries(columns, tmp_path):
    X, y = features(columns), columns["grade"]
    data = write_svmlight(tmp_path / "rows.svm", X, y)
    invoke_json(
        *("trace", data, "--task", "classification", "--end", "0.5", "--kernel", "linear"),
        *("--validation", data, "--out", tmp_path / "out"),
    )
    path = wp.SVC(kernel="linear").fit(X, y).reweight(np.full(60, 0.5))
    assert_same_path(tmp_path / "out" / "path.npz", path)
    assert_same_curve(tmp_path / "out" / "curve.csv", path.curve(X, y, "zero_one"))


def test_sparse_svmlight_stays_sparse(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 60)) * (random.uniform(size=(40, 60)) < 0.05)
    X[0, 59] = 1.0
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    data = write_svmlight(tmp_path / "rows.libsvm", X, y)
    invoke_json("trace", data, "--task", "classification", "--end", "2", "--out", tmp_path / "out")
    path = wp.load(tmp_path / "out" / "path.npz")
    assert path.X.shape == (40, 60) and hasattr(path.X, "toarray")
    assert np.array_equal(path.X.toarray(), X)


@pytest.mark.parametrize("kind", ["csv", "tsv", "semicolon", "spaces", "csv.gz", "parquet"])
def test_every_kind_of_file_gives_the_same_path(columns, file, tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        data = tmp_path / "table.parquet"
        pandas.DataFrame(columns).to_parquet(data)
    elif kind == "csv.gz":
        data = tmp_path / "table.csv.gz"
        pandas.DataFrame(columns).to_csv(data, index=False)
    else:
        separator = {"csv": ",", "tsv": "\t", "semicolon": ";", "spaces": "  "}[kind]
        data = write_csv(tmp_path / f"table.{'txt' if kind == 'spaces' else kind[:3]}", columns)
        if kind != "csv":
            name = {"tsv": "table.tsv", "semicolon": "table.csv", "spaces": "table.txt"}[kind]
            data = write_csv(tmp_path / name, columns, separator=separator)
    invoke_json(
        *("trace", data, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", *drops("label", "new")),
    )
    model = wp.SVC().fit(features(columns), columns["label"])
    assert_same_path(tmp_path / "out" / "path.npz", model.reweight(columns["new"]))


@pytest.mark.parametrize("target", ["-1", "5"])
def test_without_header_columns_are_numbered_from_one(columns, tmp_path, target):
    table = {name: columns[name] for name in ("a", "b", "c", "new", "grade")}
    data = write_csv(tmp_path / "plain.csv", table, header=False)
    found = invoke_json(
        *("trace", data, "--target", target, "--task", "regression", "--end", "column:4"),
        *("--out", tmp_path / "out", "--scale", "none"),
    )
    assert found["data"]["feature_names"] == ["1", "2", "3"] and found["data"]["rows"] == 60
    model = wp.SVR().fit(features(columns), columns["grade"])
    assert_same_path(tmp_path / "out" / "path.npz", model.reweight(columns["new"]))


def test_header_of_numbers_can_be_told(tmp_path):
    table = {"2019": np.arange(8.0), "2020": np.arange(8.0) ** 2, "2021": np.arange(8) % 2}
    data = write_csv(tmp_path / "years.csv", table)
    common = ("trace", data, "--target", "-1", "--task", "regression", "--end", "2")
    found = invoke_json(*common, "--header", "--out", tmp_path / "out")
    assert found["data"]["rows"] == 8 and found["data"]["target"] == "2021"
    found = invoke_json(*common, "--no-header", "--out", tmp_path / "out")
    assert found["data"]["rows"] == 9 and found["data"]["target"] == "3"


def test_row_numbers_without_a_name_are_no_feature(columns, tmp_path):
    table = {"": np.arange(60), "a": columns["a"], "value": columns["value"]}
    data = write_csv(tmp_path / "index.csv", table)
    found = invoke_json(
        *("trace", data, "--target", "value", "--task", "regression", "--end", "2"),
        *("--out", tmp_path / "out"),
    )
    assert found["data"]["feature_names"] == ["a"]
    assert any("without a name" in note for note in found["notes"])
    assert found["data"]["left_out"] == {"Unnamed: 0": "without a name: row numbers?"}


def test_labels_that_look_like_missing_values(columns, tmp_path):
    names = np.where(columns["label"] == "spam", "NA", "None")
    data = write_csv(tmp_path / "table.csv", {"a": columns["a"], "b": columns["b"], "who": names})
    invoke_json(
        *("trace", data, "--target", "who", "--task", "classification", "--end", "2"),
        *("--out", tmp_path / "out", "--validation", data),
    )
    assert wp.load(tmp_path / "out" / "path.npz").classes.tolist() == ["NA", "None"]


def test_labels_of_texts_and_numbers_agree_between_files(columns, tmp_path):
    table = {"a": columns["a"], "grade": columns["grade"].astype(object)}
    table["grade"][0] = "other"
    data = write_csv(tmp_path / "table.csv", table)
    numbers = write_csv(tmp_path / "numbers.csv", {"a": columns["a"], "grade": columns["grade"]})
    found = invoke_json(
        *("trace", data, "--target", "grade", "--task", "classification", "--end", "2"),
        *("--out", tmp_path / "out", "--validation", numbers),
    )
    assert found["data"]["classes"].keys() == {"0", "1", "2", "other"}
    assert found["curve"]["best_value"] < 1
