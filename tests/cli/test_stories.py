"""A person with a table and a shell: from a raw file to predictions of new rows."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("skops")
pytest.importorskip("pandas")

import pandas
from sklearn.metrics import mean_pinball_loss, mean_squared_error, ndcg_score, roc_auc_score

import weightpath as wp
from cli.command_line import invoke, invoke_json
from weightpath.cli import load_model


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    for module in ("trace_run", "select_run"):
        monkeypatch.setattr(f"weightpath.cli.commands.{module}.draw_pictures", lambda *results: [])


def passengers(n: int, seed: int):
    """Return a table as people have them: gaps, texts, dates, identifiers, a constant column."""
    random = np.random.default_rng(seed)
    age = np.where(random.uniform(size=n) < 0.2, np.nan, random.uniform(1, 80, n).round(1))
    sex = random.choice(["male", "female"], n)
    deck = random.integers(1, 4, n)
    port = np.where(random.uniform(size=n) < 0.1, None, random.choice(["S", "C", "Q"], n))
    days = pandas.to_timedelta(random.integers(0, 400, n), unit="D")
    score = 2.0 * (sex == "female") - 0.7 * deck - 0.01 * np.nan_to_num(age, nan=30)
    score = score + 0.002 * days.days + 0.5 * random.normal(size=n)
    return pandas.DataFrame(
        {
            "PassengerId": np.arange(1, n + 1),
            "survived": np.where(score > -0.5, "yes", "no"),
            "Name": [f"Passenger {number}" for number in random.permutation(10 * n)[:n]],
            "Sex": sex,
            "Age": age,
            "Deck": deck,
            "Fare": [f"{fare:,.2f}" for fare in random.lognormal(6, 1, n)],
            "Embarked": port,
            "Booked": (pandas.Timestamp("1911-01-01") + days).strftime("%d.%m.%Y"),
            "Ship": "Titanic",
            "crew": random.uniform(size=n) < 0.3,
            "score": score,
            "kind": np.array(["low", "middle", "high"])[np.digitize(score, [-1, 0])],
            "grade": np.digitize(score, [-1, 0]),
            "cabin": np.repeat([f"c{k}" for k in range(n // 10)], 10),
            "normal": np.where(score > -1.5, 1, 0),
        }
    )


TARGETS = ("survived", "score", "kind", "grade", "cabin", "normal")


def write(tmp_path, target, *more):
    """Write a table to learn from and one with new rows; return their files and the new rows."""
    drop = [name for name in TARGETS if name not in (target, *more)]
    files = tmp_path / "old.csv", tmp_path / "new.csv"
    tables = [passengers(n, seed).drop(columns=drop) for n, seed in ((160, 0), (120, 1))]
    for table, file in zip(tables, files, strict=True):
        table.to_csv(file, index=False)
    return *files, tables[1]


def predicted(out, new, tmp_path):
    """Return the predictions of a command on new rows, without their target if there is one."""
    answer = invoke("predict", out / "model.skops", new, "--out", tmp_path / "predictions.csv")
    assert answer.exit_code == 0, answer.output
    return pandas.read_csv(tmp_path / "predictions.csv", keep_default_na=False)


def test_two_classes(tmp_path):
    old, new, rows = write(tmp_path, "survived")
    found = invoke_json(
        *("trace", old, "--target", "survived", "--task", "classification", "--end", "balanced"),
        *("--validation", new, "--metric", "accuracy", "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    assert (table["prediction"] == rows["survived"]).mean() == found["curve"]["best_value"] > 0.75
    assert ((table["decision:yes"] > 0) == (table["prediction"] == "yes")).all()
    assert set(found["data"]["left_out"]) == {"PassengerId", "Name", "Ship"}
    assert found["data"]["kinds"] == {"number": 3, "text": 3, "date": 1}
    assert any("'Name' (160 different texts" in note for note in found["notes"])


def test_three_classes(tmp_path):
    old, new, rows = write(tmp_path, "kind")
    found = invoke_json(
        *("trace", old, "--target", "kind", "--task", "classification", "--end", "low=3,high=2"),
        *("--validation", new, "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    wrong = (table["prediction"] != rows["kind"]).mean()
    assert wrong == pytest.approx(found["curve"]["best_value"], abs=1e-12)
    values = table[["decision:high", "decision:low", "decision:middle"]].to_numpy()
    labels = np.array(["high", "low", "middle"])[values.argmax(axis=1)]
    assert (labels == table["prediction"]).mean() > 0.95


def test_regression(tmp_path):
    old, new, rows = write(tmp_path, "score")
    found = invoke_json(
        *("trace", old, "--target", "score", "--task", "regression", "--end", "forgetting:3"),
        *("--validation", new, "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    error = mean_squared_error(rows["score"], table["prediction"])
    assert error == pytest.approx(found["curve"]["best_value"], rel=1e-9)
    assert error < 0.5 * rows["score"].var()


def test_quantile(tmp_path):
    old, new, rows = write(tmp_path, "score")
    found = invoke_json(
        *("trace", old, "--target", "score", "--task", "quantile", "--quantile", "0.8"),
        *("--end", "forgetting:3", "--validation", new, "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    error = mean_pinball_loss(rows["score"], table["prediction"], alpha=0.8)
    assert found["model"]["estimator"] == "QuantileSVR" and found["curve"]["metric"] == "pinball"
    assert error == pytest.approx(found["curve"]["best_value"], rel=1e-9)


def test_ranking(tmp_path):
    old, new, rows = write(tmp_path, "grade", "cabin")
    found = invoke_json(
        *("trace", old, "--target", "grade", "--qid", "cabin", "--task", "ranking", "--C", "0.1"),
        *("--end", "relevance", "--validation", new, "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    assert list(table) == ["score"]
    # The mean over queries that have a relevant row.
    gains = rows["grade"].to_numpy()
    groups = [np.flatnonzero(rows["cabin"] == name) for name in rows["cabin"].unique()]
    values = [
        ndcg_score([gains[g]], [table["score"].to_numpy()[g]]) for g in groups if any(gains[g])
    ]
    assert np.mean(values) == pytest.approx(found["curve"]["best_value"], rel=1e-9)


@pytest.mark.parametrize("labelled", [True, False])
def test_one_class(tmp_path, labelled):
    old, new, rows = write(tmp_path, "normal")
    if not labelled:
        pandas.read_csv(old).drop(columns="normal").to_csv(old, index=False)
    judging = ("--target", "normal", "--validation", new) if labelled else ()
    found = invoke_json(
        *("trace", old, "--task", "one-class", "--nu", "0.2", "--end", "forgetting:3", *judging),
        *("--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    assert set(table["prediction"]) == {1, -1}
    assert ((table["decision"] >= 0) == (table["prediction"] == 1)).all()
    if labelled:
        area = roc_auc_score(rows["normal"], table["decision"])
        assert area == pytest.approx(found["curve"]["best_value"], rel=1e-9)


def test_select_then_predict(tmp_path):
    old, new, rows = write(tmp_path, "survived")
    found = invoke_json(
        *("select", old, "--target", "survived", "--task", "classification", "--end", "no=4"),
        *("--grid-C", "0.5,5", "--cv", "3", "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", new, tmp_path)
    path = wp.load(tmp_path / "out" / "path.npz")
    curve = path.curve(pandas.read_csv(new), rows["survived"].to_numpy(), "accuracy")
    share = (table["prediction"] == rows["survived"]).mean()
    assert share == pytest.approx(curve(found["chosen"]["theta"]), abs=1e-12)
    assert set(found["search"]["best_params"]) == {"C"}


@pytest.mark.parametrize("target", ["--target=normal", None])
def test_select_of_one_class(tmp_path, target):
    old, _, _ = write(tmp_path, "normal")
    words = ("select", old, "--task", "one-class", "--end", "forgetting:3", "--cv", "3")
    answer = invoke(*words, *([target] if target else []), "--out", tmp_path / "out")
    if target:
        assert answer.exit_code == 0, answer.output
        assert "auc" in answer.stdout
    else:
        assert answer.exit_code == 2 and "--target must name a column" in answer.stderr


@pytest.mark.parametrize("form", ["csv", "semicolon", "latin-1", "utf-16", "xlsx", "parquet"])
def test_what_the_summary_says_is_right_when_done(tmp_path, form):
    old, _, rows = write(tmp_path, "survived")
    frame = pandas.read_csv(old)
    if form == "semicolon":
        old = tmp_path / "old-semicolon.csv"
        frame.to_csv(old, index=False, sep=";", decimal=",")
    elif form == "xlsx":
        pytest.importorskip("openpyxl")
        old = tmp_path / "old.xlsx"
        frame.to_excel(old, index=False)
    elif form == "parquet":
        pytest.importorskip("pyarrow")
        old = tmp_path / "old.parquet"
        frame.to_parquet(old)
    elif form != "csv":
        frame["Embarked"] = frame["Embarked"].replace("S", "Süd")
        frame.to_csv(old, index=False, encoding=form)
    out = tmp_path / "out"
    found = invoke_json(
        *("trace", old, "--target", "survived", "--task", "classification", "--end", "balanced"),
        *("--validation", old, "--out", out),
    )
    page = (out / "summary.md").read_text()
    console = page.split("```console\n")[1].split("```")[0]
    *command, model, data, _, name = shlex.split(console)
    assert command == ["weightpath", "predict"] and data.startswith("new.")
    table = predicted(out, old, tmp_path)
    assert model == str(out / "model.skops") and name == "predictions.csv"
    wrong = (table["prediction"] != frame["survived"]).mean()
    assert wrong == pytest.approx(found["curve"]["best_value"], abs=1e-12)
    # The lines of Python, the last of which predicts the same rows.
    *lines, last = page.split("```python\n")[1].split("```")[0].strip().splitlines()
    names: dict = {}
    exec("\n".join(lines), names)
    predictions = eval(last.split("  #")[0], names)
    assert predictions.tolist() == table["prediction"].tolist()
    assert load_model(out).predict(rows).shape == (120,)


@pytest.mark.data("spambase")
def test_spambase(data_home, tmp_path):
    file = data_home / "spambase" / "spambase.csv"
    lines = file.read_text().splitlines()
    some = tmp_path / "some.csv"
    some.write_text("\n".join([lines[0], *lines[1::6]]) + "\n")
    found = invoke_json(
        *("trace", some, "--target", "-1", "--task", "classification", "--end", "forgetting:3"),
        *("--validation", file, "--out", tmp_path / "out"),
    )
    table = predicted(tmp_path / "out", file, tmp_path)
    wrong = (table["prediction"].to_numpy() != pandas.read_csv(file).iloc[:, -1].to_numpy()).mean()
    assert wrong == pytest.approx(found["curve"]["best_value"], abs=1e-12)
    assert wrong < 0.1


def test_fifty_columns_need_no_option(tmp_path):
    frame = passengers(120, 3)
    parts = [frame.drop(columns=[*TARGETS, "Ship"]).add_suffix(f" {k}") for k in range(5)]
    table = pandas.concat([*parts, frame[["survived"]]], axis=1)
    table.to_csv(tmp_path / "wide.csv", index=False)
    words = ("--target", "survived", "--task", "classification", "--end", "balanced")
    found = invoke_json("trace", tmp_path / "wide.csv", *words, "--out", tmp_path / "out")
    assert len(table.columns) == 46 and found["data"]["columns"] >= 35
    assert found["certificate"]["kkt_violation"] < 1e-10


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    old, _, _ = write(folder, "survived")
    words = ("--target", "survived", "--task", "classification", "--end", "balanced")
    invoke_json("trace", old, *words, "--out", folder / "out")
    return folder / "out"


class TestPredict:
    @pytest.fixture
    def rows(self):
        return passengers(50, 2).drop(columns=list(TARGETS))

    def run(self, model, rows, tmp_path, *more):
        rows.to_csv(tmp_path / "rows.csv", index=False)
        return invoke("predict", model, tmp_path / "rows.csv", "--out", tmp_path / "p.csv", *more)

    def test_order_and_other_columns_do_not_matter(self, model, rows, tmp_path):
        self.run(model, rows, tmp_path)
        first = (tmp_path / "p.csv").read_bytes()
        self.run(model, rows[rows.columns[::-1]].assign(more=1), tmp_path)
        assert (tmp_path / "p.csv").read_bytes() == first

    def test_one_row(self, model, rows, tmp_path):
        whole = self.run(model, rows, tmp_path)
        assert whole.exit_code == 0
        table = pandas.read_csv(tmp_path / "p.csv")
        self.run(model, rows.iloc[7:8], tmp_path)
        one = pandas.read_csv(tmp_path / "p.csv")
        assert one["decision:yes"][0] == pytest.approx(table["decision:yes"][7], abs=1e-12)

    def test_columns_are_copied(self, model, rows, tmp_path):
        answer = self.run(model, rows, tmp_path, "--copy", "PassengerId", "--json")
        found = json.loads(answer.stdout)
        assert found["columns"] == ["PassengerId", "prediction", "decision:yes"]
        assert pandas.read_csv(tmp_path / "p.csv")["PassengerId"].tolist() == list(range(1, 51))

    def test_standard_output(self, model, rows, tmp_path):
        rows.to_csv(tmp_path / "rows.csv", index=False)
        answer = invoke("predict", model, tmp_path / "rows.csv", "--out", "-")
        assert answer.stdout.splitlines()[0] == "prediction,decision:yes"
        assert len(answer.stdout.splitlines()) == 51

    def test_new_texts_are_named(self, model, rows, tmp_path):
        rows.loc[:4, "Embarked"] = "X"
        answer = self.run(model, rows, tmp_path)
        assert answer.exit_code == 0
        assert "'Embarked': 5 of 50 rows have a text" in answer.stderr and "'X'" in answer.stderr

    def test_gaps_in_other_columns(self, model, rows, tmp_path):
        rows.loc[:10, "Deck"] = np.nan
        rows.loc[:3, "Booked"] = None
        assert self.run(model, rows, tmp_path).exit_code == 0

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda rows: rows.drop(columns="Age"), "lacks the feature 'Age'"),
            (lambda rows: rows.rename(columns={"Age": "age"}), "Is 'age' meant?"),
            (lambda rows: rows.assign(Age="old"), "column 'Age' has 'old' in row 1"),
            (lambda rows: rows.assign(Booked="1911-05-05"), "no date written as those of"),
            (lambda rows: rows.assign(Age=np.inf), "not finite"),
            (lambda rows: rows.iloc[:0], "has no rows"),
        ],
    )
    def test_tables_that_will_not_do(self, model, rows, tmp_path, change, says):
        answer = self.run(model, change(rows), tmp_path)
        assert answer.exit_code == 2 and answer.stderr.count("\n") == 1
        assert says in answer.stderr
        assert not (tmp_path / "p.csv").exists()

    @pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 nonsense"])
    def test_files_that_are_no_models(self, rows, tmp_path, content):
        (tmp_path / "model.skops").write_bytes(content)
        answer = self.run(tmp_path / "model.skops", rows, tmp_path)
        assert answer.exit_code == 2 and answer.stderr.count("\n") == 1

    def test_types_that_are_not_trusted(self, rows, tmp_path):
        from functools import partial

        import skops.io

        skops.io.dump({"a": partial(print, "never")}, tmp_path / "model.skops")
        answer = self.run(tmp_path / "model.skops", rows, tmp_path)
        assert answer.exit_code == 2 and "it was not loaded" in answer.stderr
        with pytest.raises(ValueError, match="not loaded"):
            load_model(tmp_path / "model.skops")

    def test_models_that_are_not_there(self, rows, tmp_path):
        for model in (tmp_path / "nix.skops", tmp_path):
            answer = self.run(model, rows, tmp_path)
            assert answer.exit_code == 2 and "model.skops" in answer.stderr
