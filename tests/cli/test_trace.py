"""``weightpath trace``: its files agree with the library called directly."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import features, invoke, invoke_json, sample, write_csv, write_svmlight
from weightpath.cli.outputs import write_curve, write_curves
from weightpath.curves import Curve

OTHERS = ["label", "colour", "value", "grade", "query", "old", "new"]


@pytest.fixture(scope="module", autouse=True)
def no_pictures():
    """Pictures take most of the time; they have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weightpath.cli.trace_run.draw_pictures", lambda *results: [])
        yield


def drops(*kept):
    return [word for name in OTHERS if name not in kept for word in ("--drop", name)]


@pytest.fixture(scope="module")
def columns():
    return sample()


@pytest.fixture(scope="module")
def file(columns, tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("data") / "table.csv", columns)


@pytest.fixture(scope="module")
def validation(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("data") / "other.csv", sample(90, seed=1))


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


@pytest.fixture(scope="module")
def direct(columns):
    X = features(columns)
    model = wp.SVC(C=5.0, gamma=0.3).fit(X, columns["label"], sample_weight=columns["old"])
    return model.reweight(columns["new"])


@pytest.fixture(scope="module")
def traced(file, validation, tmp_path_factory):
    out = tmp_path_factory.mktemp("trace") / "new" / "folder"
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--C", "5"),
        *("--gamma", "0.3", "--start", "old", "--end", "new", "--out", out),
        *("--validation", validation, *drops("label", "old", "new")),
    )
    assert answer.exit_code == 0, answer.output
    return out, answer


def test_path(traced, direct):
    assert_same_path(traced[0] / "path.npz", direct)


def test_model_of_the_file_predicts_texts(traced, direct, columns):
    model = wp.load(traced[0] / "path.npz").model_at(0.5)
    expected = direct.model_at(0.5).predict(features(columns))
    assert model.predict(features(columns)).tolist() == expected.tolist()
    assert set(expected) == {"spam", "ham"}


def test_events(traced, direct):
    rows = read_csv(traced[0] / "events.csv")
    assert [float(row["theta"]) for row in rows] == direct.events["theta"].tolist()
    assert [int(row["index"]) for row in rows] == direct.events["index"].tolist()
    assert [row["from"] for row in rows] == direct.events["from"].tolist()


def test_curve(traced, direct):
    other = sample(90, seed=1)
    curve = direct.curve(features(other), other["label"], "zero_one")
    assert_same_curve(traced[0] / "curve.csv", curve)


def test_summaries(traced, direct):
    out, answer = traced
    found = json.loads((out / "summary.json").read_text())
    assert found["command"] == "trace" and found["status"] == "complete"
    assert found["exit_code"] == 0
    assert found["data"]["feature_names"] == ["a", "b", "c"]
    assert found["data"]["rows"] == 60 and found["data"]["classes"].keys() == {"ham", "spam"}
    assert found["path"]["events"] == direct.n_events
    assert found["path"]["breakpoints"] == len(direct.theta)
    assert found["certificate"]["kkt_violation"] == direct.kkt_violation() < 1e-10
    assert found["certificate"]["places"] is None
    page = (out / "summary.md").read_text()
    for words in ("largest KKT violation", "best theta", "wp.load(", f"{direct.n_events}"):
        assert words in answer.stdout and words in page


def test_next_steps_run(traced):
    page = (traced[0] / "summary.md").read_text()
    program = page.split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(program, names)
    assert names["model"].kkt_violation() < 1e-10


def test_nothing_else_is_left(traced):
    out, _ = traced
    found = json.loads((out / "summary.json").read_text())
    assert sorted(p.name for p in out.iterdir()) == sorted(found["files"])


@pytest.mark.parametrize("scale", ["none", "standard", "minmax"])
def test_regression_with_cross_validation_and_scaling(columns, file, tmp_path, scale):
    found = invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--epsilon", "0.2"),
        *("--end", "forgetting:3", "--cv", "4", "--metric", "absolute", "--scale", scale),
        *("--out", tmp_path, *drops("value")),
    )
    X = features(columns)
    if scale != "none":
        scaling = found["data"]["scaling"]
        X = (X - np.array(scaling["shift"])) / np.array(scaling["scale"])
        low, high = (X.mean(axis=0), X.std(axis=0)) if scale == "standard" else (X.min(0), X.max(0))
        assert low == pytest.approx(np.zeros(3), abs=1e-12)
        assert high == pytest.approx(np.ones(3))
    weight = wp.weights.forgetting(60, 3.0)
    search = wp.PathSearchCV(wp.SVR(epsilon=0.2), "absolute", cv=4)
    search.fit(X, columns["value"], start=np.ones(60), end=weight)
    if scale == "none":
        assert_same_path(tmp_path / "path.npz", search.path_)
        assert_same_curve(tmp_path / "curve.csv", search.curve_)
    assert found["curve"]["best_value"] == pytest.approx(search.best_score_, rel=1e-9)
    assert found["curve"]["best_theta"] == pytest.approx(search.best_theta_, abs=1e-6)


def test_ranking_of_a_table(columns, file, validation, tmp_path):
    found = invoke_json(
        *("trace", file, "--target", "grade", "--task", "ranking", "--qid", "query"),
        *("--end", "relevance", "--validation", validation, "--k", "3", "--C", "0.1"),
        *("--convention", "paper", "--out", tmp_path, *drops("grade", "query")),
    )
    X, other = features(columns), sample(90, seed=1)
    model = wp.RankingSVM(C=0.1).fit(X, columns["grade"], qid=columns["query"])
    path = model.reweight("relevance")
    assert_same_path(tmp_path / "path.npz", path)
    curve = path.curve(
        *(features(other), other["grade"], "ndcg"), qid=other["query"], k=3, convention="paper"
    )
    assert_same_curve(tmp_path / "curve.csv", curve)
    assert found["curve"]["metric"] == "ndcg" and found["data"]["queries"] == 6
    rows = read_csv(tmp_path / "events.csv")
    documents = [[int(row["more_relevant"]), int(row["less_relevant"])] for row in rows]
    assert documents == model.pairs_[path.events["index"]].tolist()
    assert found["path"]["pairs"] == len(model.pairs_)


def test_ranking_by_svmlight_with_queries(columns, tmp_path):
    X, y = features(columns), columns["grade"]
    qid = np.repeat(np.arange(6), 10)
    data = write_svmlight(tmp_path / "S1.txt", X, y, qid)
    found = invoke_json(
        *("trace", data, "--task", "ranking", "--end", "relevance", "--cv", "3"),
        *("--metric", "precision_at_k", "--k", "2", "--out", tmp_path / "out"),
    )
    search = wp.PathSearchCV(wp.RankingSVM(), "precision_at_k", cv=3, metric_params={"k": 2})
    search.fit(X, y, start="uniform", end="relevance", qid=qid)
    assert_same_path(tmp_path / "out" / "path.npz", search.path_)
    assert found["curve"]["best_theta"] == search.best_theta_


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
        *("--out", tmp_path / "out"),
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


def test_several_classes_and_labels_of_numbers(columns, file, tmp_path):
    found = invoke_json(
        *("trace", file, "--target", "colour", "--task", "classification", "--end", "new"),
        *("--out", tmp_path, *drops("colour", "new")),
    )
    path = wp.SVC().fit(features(columns), columns["colour"]).reweight(columns["new"])
    assert_same_path(tmp_path / "path.npz", path)
    assert found["path"]["parts"] == 3
    invoke_json(
        *("trace", file, "--target", "grade", "--task", "classification", "--end", "new"),
        *("--out", tmp_path, *drops("grade", "new")),
    )
    assert wp.load(tmp_path / "path.npz").classes.tolist() == [0, 1, 2]


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


def test_importance_weights(columns, file, validation, tmp_path):
    invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--scale", "none"),
        *("--end", f"importance:{validation}", "--quantile", "0.8", "--out", tmp_path),
        *drops("value"),
    )
    X = features(columns)
    weight = wp.weights.importance(X, features(sample(90, seed=1)))
    path = wp.QuantileSVR(quantile=0.8).fit(X, columns["value"]).reweight(weight)
    assert_same_path(tmp_path / "path.npz", path)


def test_costs_weight_the_curve(columns, file, validation, tmp_path):
    invoke_json(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--cost", "old", "--validation", validation, "--out", tmp_path),
        *drops("label", "new", "old"),
    )
    other = sample(90, seed=1)
    path = wp.SVC().fit(features(columns), columns["label"]).reweight(columns["new"])
    curve = path.curve(features(other), other["label"], "zero_one", sample_weight=other["old"])
    assert_same_curve(tmp_path / "curve.csv", curve)


def test_event_cap_writes_the_first_part(columns, file, validation, tmp_path):
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--max-events", "4", "--validation", validation, "--out", tmp_path, "--json"),
        *drops("label", "new"),
    )
    assert answer.exit_code == 3
    found = json.loads(answer.stdout)
    assert found["status"] == "stopped at the event cap" and found["exit_code"] == 3
    assert any("--max-events 4" in note for note in found["notes"])
    path = wp.load(tmp_path / "path.npz")
    whole = wp.SVC().fit(features(columns), columns["label"]).reweight(columns["new"])
    assert path.n_events == 4 and 0 < path.theta[-1] < 1
    assert path.kkt_violation() < 1e-10
    assert path.at(0.0).dual_coef.tolist() == whole.at(0.0).dual_coef.tolist()
    assert read_curve(tmp_path / "curve.csv")[-1, 1] == path.theta[-1]


def test_failed_path_is_three_and_keeps_the_problem(file, tmp_path, monkeypatch):
    from weightpath.engine import load_problem

    def fail(self, sample_weight):
        from weightpath.engine import Options, SavedProblem

        (part,) = self.subproblems_
        saved = SavedProblem.of(part.columns, part.stair, part.stair, part.state, Options())
        raise wp.PathError("No way. error.save(file) keeps the problem.", saved)

    monkeypatch.setattr(wp.SVC, "reweight", fail)
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", *drops("label", "new")),
    )
    assert answer.exit_code == 3
    assert answer.stderr.startswith("Error: No way. The problem is kept in")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["failed.npz"]
    load_problem(tmp_path / "out" / "failed.npz")


def test_defect_shows_itself_and_is_one(file, tmp_path, monkeypatch):
    def fail(self, sample_weight):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(wp.SVC, "reweight", fail)
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", "--json", *drops("label", "new")),
    )
    assert answer.exit_code == 1 and isinstance(answer.exception, ZeroDivisionError)
    assert json.loads(answer.stdout)["error"] == "ZeroDivisionError: a defect"


def test_files_of_an_earlier_command_do_not_stay(file, validation, tmp_path):
    common = ("trace", file, "--target", "value", "--task", "regression", "--end", "new")
    common = (*common, "--out", tmp_path, *drops("value", "new"))
    (tmp_path / "notes.txt").write_text("mine")
    invoke_json(*common, "--validation", validation)
    assert (tmp_path / "curve.csv").exists()
    invoke_json(*common)
    assert not (tmp_path / "curve.csv").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_foreign_files_are_left_alone(file, tmp_path):
    (tmp_path / "curve.csv").write_text("mine")
    invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--end", "new"),
        *("--out", tmp_path, *drops("value", "new")),
    )
    assert (tmp_path / "curve.csv").read_text() == "mine"


def test_large_paths_are_certified_at_stated_places(file, tmp_path, monkeypatch):
    monkeypatch.setattr("weightpath.cli.findings.EVERYWHERE", 10)
    found = invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--end", "new"),
        *("--out", tmp_path, *drops("value", "new")),
    )
    assert found["certificate"]["places"] == 101
    assert found["certificate"]["kkt_violation"] < 1e-10
    assert "at 101 places" in (tmp_path / "summary.md").read_text()


def test_help_is_in_sections():
    page = invoke("trace", "--help").output
    places = [page.index(f"\n{heading}\n") for heading in ("Data", "Weights", "Model", "Judging")]
    assert places == sorted(places)
    for words in ("Exit codes", "130", "forgetting:A", "--validation FILE", "Examples"):
        assert words in page


def test_isolated_points_of_curves_are_written(tmp_path):
    curve = Curve([0, 0.5, 1], [[1, 2], [3, 4]], point_theta=[0.25, 0.5], point_values=[7, 8])
    write_curve(tmp_path / "curve.csv", curve)
    expected = [[0, 0.5, 1, 2], [0.25, 0.25, 7, 0], [0.5, 0.5, 8, 0], [0.5, 1, 3, 4]]
    assert read_curve(tmp_path / "curve.csv").tolist() == expected
    steps = Curve([0, 1], [[5]], point_theta=[1], point_values=[6])
    write_curves(tmp_path / "folds.csv", [steps, curve])
    rows = [[float(v) for v in row.values() if v] for row in read_csv(tmp_path / "folds.csv")]
    assert rows[:2] == [[1, 0, 1, 5], [1, 1, 1, 6]]
    assert rows[2:] == [[2, *row] for row in expected]
