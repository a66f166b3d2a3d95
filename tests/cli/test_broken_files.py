"""Bad input: one clear line, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

from cli.command_line import invoke, line_of_error, sample, write_csv, write_svmlight

CLASSIFY = ("--task", "classification", "--target", "label")
REGRESS = ("--task", "regression", "--target", "value")
RANK = ("--task", "ranking", "--target", "grade")


@pytest.fixture
def good():
    columns = sample(24)
    return {name: columns[name] for name in ("a", "b", "label", "value", "grade", "query", "new")}


@pytest.fixture
def table(good, tmp_path):
    """Return a function that writes a table with some columns changed, and gives its file."""

    def write(name="table.csv", **changed):
        columns = {**good, **changed}
        kept = {key: column for key, column in columns.items() if column is not None}
        return write_csv(tmp_path / name, kept)

    return write


def refused(*arguments, out) -> str:
    """Return the line of an error, for trace and for select alike."""
    lines = {line_of_error(invoke(*words, "--out", out)) for words in commands(arguments)}
    assert not out.exists()
    answer = invoke("trace", *arguments, "--out", out, "--json")
    found = json.loads(answer.stdout)
    assert found["exit_code"] == answer.exit_code == 2
    (line,) = {line.replace("weightpath select", "weightpath trace") for line in lines}
    assert f"Error: {found['error']}" == line
    return line


def commands(arguments):
    yield ("trace", *arguments)
    if "--validation" not in arguments:
        yield ("select", *arguments)


def drops(*names):
    return [word for name in names for word in ("--drop", name)]


OTHERS = drops("value", "grade", "query")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


# Columns ---------------------------------------------------------------------------------------


def test_missing_target_suggests_the_one_that_was_meant(table, out):
    line = refused(table(), "--task", "classification", "--target", "lable", "--end", "2", out=out)
    assert "no column 'lable'" in line and "Is it 'label'?" in line


def test_missing_target_lists_what_there_is(table, out):
    line = refused(table(), "--task", "regression", "--target", "price", "--end", "2", out=out)
    assert "a, b, label, value" in line


def test_target_that_was_not_given(table, out):
    assert "--target is missing" in refused(table(), "--task", "regression", "--end", "2", out=out)


@pytest.mark.parametrize("number", ["0", "8", "-8"])
def test_number_of_a_column_that_is_not_there(table, out, number):
    line = refused(table(), "--task", "regression", "--target", number, "--end", "2", out=out)
    assert "numbered from 1 to 7" in line


def test_names_in_a_file_without_header(good, tmp_path, out):
    numbers = {name: good[name] for name in ("a", "b", "value")}
    data = write_csv(tmp_path / "plain.csv", numbers, header=False)
    assert "It has no header" in refused(data, *REGRESS, "--end", "2", out=out)


@pytest.mark.parametrize("option", ["--drop", "--qid", "--cost"])
def test_other_columns_that_are_not_there(table, out, option):
    line = refused(table(), *RANK, "--end", "relevance", option, "nix", out=out)
    assert f"{option}: " in line and "no column 'nix'" in line


def test_no_features_left(table, out):
    line = refused(table(b=None), *CLASSIFY, *OTHERS, "--drop", "a", "--end", "new", out=out)
    assert "no features left" in line


# Values ----------------------------------------------------------------------------------------


def test_values_that_are_infinite(table, out, good):
    broken = good["b"].astype(object)
    broken[2] = "inf"
    line = refused(table(b=broken), *CLASSIFY, *OTHERS, "--end", "new", out=out)
    assert "column 'b' has inf in row 3, which is not finite" in line


def test_missing_label(table, out, good):
    broken = good["label"].astype(object)
    broken[7] = ""
    line = refused(table(label=broken), *CLASSIFY, *OTHERS, "--end", "new", out=out)
    assert "'label' is empty in row 8" in line


def test_one_class(table, out):
    line = refused(table(label=np.full(24, "spam")), *CLASSIFY, *OTHERS, "--end", "new", out=out)
    assert "one class only, spam" in line


def test_labels_that_are_quantities(table, out):
    line = refused(table(), "--task", "classification", "--target", "value", "--end", "2", out=out)
    assert "--task regression" in line


def test_labels_that_are_too_many(tmp_path, out):
    data = write_csv(tmp_path / "many.csv", {"a": np.arange(300.0), "count": np.arange(300)})
    line = refused(data, "--task", "classification", "--target", "count", "--end", "2", out=out)
    assert "300 different values" in line and "--task regression" in line


def test_text_as_target_of_a_regression(table, out):
    line = refused(table(), "--task", "regression", "--target", "label", "--end", "2", out=out)
    assert "column 'label' has" in line and "--task classification" in line


# Weights ---------------------------------------------------------------------------------------


def test_negative_weight(table, out, good):
    weights = good["new"].copy()
    weights[6] = -0.5
    line = refused(table(new=weights), *CLASSIFY, *OTHERS, "--end", "new", out=out)
    assert "-0.5 in row 7" in line and "--end" in line


@pytest.mark.parametrize("option", ["--start", "--end"])
def test_weights_that_are_all_zero(table, out, option):
    other = {"--start": "--end", "--end": "--start"}[option]
    words = (*CLASSIFY, *OTHERS, option, "new", other, "uniform")
    assert f"{option} new: all weights are zero" in refused(
        table(new=np.zeros(24)), *words, out=out
    )
    words = (*CLASSIFY, *OTHERS, "--drop", "new", option, "0", other, "uniform")
    assert "all weights are zero" in refused(table(), *words, out=out)


def test_weights_that_leave_a_class_out(table, out, good):
    weights = np.where(good["label"] == "spam", 0.0, 1.0)
    line = refused(table(new=weights), *CLASSIFY, *OTHERS, "--end", "new", out=out)
    assert "--end new: all weights of class spam are zero" in line


@pytest.mark.parametrize("word", ["-1", "nan", "inf"])
def test_numbers_that_are_no_weights(table, out, word):
    words = (*CLASSIFY, *OTHERS, "--drop", "new", "--end", word)
    assert "not negative" in refused(table(), *words, out=out)


def test_unknown_weights_say_what_is_possible(table, out):
    line = refused(table(), *CLASSIFY, *OTHERS, "--end", "forgetting", out=out)
    assert "forgetting:A" in line and "--end" in line


@pytest.mark.parametrize("word", ["forgetting:", "forgetting:x", "forgetting:-1", "forgetting:inf"])
def test_rate_of_forgetting(table, out, word):
    words = (*CLASSIFY, *OTHERS, "--drop", "new", "--end", word)
    assert "as in forgetting:3" in refused(table(), *words, out=out)


def test_importance_of_files_that_will_not_do(table, tmp_path, out):
    words = (*CLASSIFY, *OTHERS, "--drop", "new")
    assert "names no file" in refused(table(), *words, "--end", "importance:", out=out)
    absent = f"importance:{tmp_path / 'nix.csv'}"
    assert "There is no file" in refused(table(), *words, "--end", absent, out=out)
    lacking = f"importance:{table('lacking.csv', a=None)}"
    assert "lacks the feature 'a'" in refused(table(), *words, "--end", lacking, out=out)


def test_weights_of_rows_are_not_for_rankings(table, out):
    words = (*RANK, "--qid", "query", *drops("label", "value"))
    line = refused(table(), *words, "--end", "new", out=out)
    assert "uniform or relevance" in line
    assert "--task ranking" in refused(table(), *CLASSIFY, *OTHERS, "--end", "relevance", out=out)


# Rankings --------------------------------------------------------------------------------------


def test_ranking_without_queries(table, tmp_path, out):
    words = (*RANK, *drops("label", "value", "query"))
    assert "--qid is missing" in refused(table(), *words, "--end", "relevance", out=out)
    data = write_svmlight(tmp_path / "rows.svm", np.eye(4), np.arange(4))
    line = refused(data, "--task", "ranking", "--end", "relevance", out=out)
    assert "names no queries" in line


def test_ranking_of_equal_documents(table, out):
    words = (*RANK, "--qid", "query", *drops("label", "value", "new"), "--end", "relevance")
    answer = invoke("trace", table(grade=np.ones(24)), *words, "--out", out)
    assert "no pairs to learn from" in line_of_error(answer)


# Files -----------------------------------------------------------------------------------------


def test_file_that_is_not_there(tmp_path, out):
    assert "There is no file" in refused(tmp_path / "nix.csv", *CLASSIFY, "--end", "2", out=out)
    assert "is a folder" in refused(tmp_path, *CLASSIFY, "--end", "2", out=out)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"a,b,label\n"])
def test_empty_file(tmp_path, out, content):
    data = tmp_path / "empty.csv"
    data.write_bytes(content)
    line = refused(data, *CLASSIFY, "--end", "2", out=out)
    assert "is empty" in line or "has no rows" in line


def test_unknown_type_of_file(tmp_path, out):
    data = tmp_path / "table.sas7bdat"
    data.write_bytes(b"something else")
    line = refused(data, *CLASSIFY, "--end", "2", out=out)
    assert "'.sas7bdat'" in line and "--format" in line


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"a,b\n1,2\n3,4,5\n", "line 3"),
        ("t.csv", b"a,b\n1,2,3\n3,4,5\n", "more fields than its first line"),
        ("t.csv", b"a,b\n\x00\x01\x02\x03", "not a text file"),
        ("t.csv", b"PK\x03\x04 a workbook", "--format xlsx"),
        ("t.xlsx", b"PK\x03\x04 nonsense", "not an Excel workbook"),
        ("t.csv.gz", b"not packed", "unpacked"),
        ("t.parquet", b"PAR1 nonsense", "not a Parquet file"),
        ("t.svm", b"1 1:0.5\n1 1:x\n", "line 2"),
        ("t.svm", b"1\n0\n", "no features"),
    ],
)
def test_damaged_file(tmp_path, out, name, content, words):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    data = tmp_path / name
    data.write_bytes(content)
    target = () if name.endswith("svm") else ("--target", "a")
    line = refused(data, *target, "--task", "regression", "--end", "2", out=out)
    assert words in line and str(data) in line


def test_parquet_without_pyarrow(tmp_path, out, monkeypatch):
    data = tmp_path / "table.parquet"
    data.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    line = refused(data, *CLASSIFY, "--end", "2", out=out)
    assert "weightpath[parquet]" in line


def test_tables_without_pandas(table, out, monkeypatch):
    data = table()
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "weightpath[cli]" in refused(data, *CLASSIFY, "--end", "2", out=out)


def test_svmlight_has_no_columns(tmp_path, out):
    data = write_svmlight(tmp_path / "rows.svm", np.eye(4), np.arange(4) % 2)
    task = ("--task", "classification")
    assert "--target" in refused(data, *task, "--target", "1", "--end", "2", out=out)
    assert "--drop" in refused(data, *task, "--drop", "1", "--end", "2", out=out)
    assert "no column 'w'" in refused(data, *task, "--end", "w", out=out)


# Validation ------------------------------------------------------------------------------------


def test_validation_files_that_will_not_do(table, good, tmp_path, out):
    words = (table(), *CLASSIFY, *OTHERS, "--end", "new", "--validation")
    assert "There is no file" in refused(*words, tmp_path / "nix.csv", out=out)
    assert "lacks the feature 'a'" in refused(*words, table("lacking.csv", a=None), out=out)
    labels = good["label"].astype(object)
    labels[0] = "eggs"
    assert "the label 'eggs'" in refused(*words, table("eggs.csv", label=labels), out=out)
    rows = write_svmlight(tmp_path / "rows.svm", np.eye(4), np.arange(4))
    assert "must be a table" in refused(*words, rows, out=out)


def test_validation_by_svmlight_with_more_features(tmp_path, out):
    data = write_svmlight(tmp_path / "rows.svm", np.eye(4), np.arange(4) % 2)
    more = write_svmlight(tmp_path / "more.svm", np.eye(6), np.arange(6) % 2)
    words = (data, "--task", "classification", "--end", "2", "--validation", more)
    assert "--n-features" in refused(*words, out=out)
    answer = invoke("trace", *words, "--n-features", "6", "--out", out)
    assert answer.exit_code == 0, answer.output


def test_validation_of_one_class_is_refused_before_the_path(table, good, out, monkeypatch):
    one = table("one.csv", label=np.full(24, "ham"))
    words = (*CLASSIFY, *OTHERS, "--end", "new", "--validation", one, "--metric", "auc")
    monkeypatch.setattr("weightpath.SVC.reweight", None)
    line_of_error(invoke("trace", table(), *words, "--out", out))
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--metric", "squared", "--cv", "3"], "is not for classification"),
        (["--metric", "precision_at_k", "--cv", "3"], "needs --k"),
        (["--k", "3", "--cv", "3"], "--k is for"),
        (["--convention", "paper", "--cv", "3"], "--convention is for"),
        (["--cv", "20"], "take fewer folds"),
        (["--cv", "1"], "--cv"),
        (["--jobs", "0", "--cv", "3"], "--jobs 0"),
        (["--cv", "3", "--epsilon", "1"], "--task regression"),
        (["--cv", "3", "--degree", "2"], "--kernel poly"),
        (["--cv", "3", "--coef0", "2"], "--kernel poly or sigmoid"),
        (["--cv", "3", "--gamma", "-1"], "positive number or scale or auto"),
        (["--cv", "3", "--C", "0"], "positive number"),
        (["--cv", "3", "--bogus"], "--bogus"),
        (["--cv", "3", "--qid", "query"], "--task ranking"),
    ],
)
def test_options_that_do_not_go_together(table, out, words, says):
    assert says in refused(table(), *CLASSIFY, *OTHERS, "--end", "new", *words, out=out)


def test_kernel_that_is_not_positive_semidefinite(table, out):
    words = (*CLASSIFY, *OTHERS, "--end", "new", "--kernel", "sigmoid", "--gamma", "9")
    for command in ("trace", "select"):
        line = line_of_error(invoke(command, table(), *words, "--cv", "3", "--out", out))
        assert "--ridge" in line and "--kernel rbf" in line
    assert not out.exists()


def test_options_of_trace_that_need_each_other(table, out):
    words = ("trace", table(), *CLASSIFY, *OTHERS, "--end", "new", "--out", out)
    assert "--validation FILE or --cv K" in line_of_error(invoke(*words, "--metric", "hinge"))
    both = ("--cv", "3", "--validation", table())
    assert "exclude each other" in line_of_error(invoke(*words, *both))
    assert "--cv K" in line_of_error(invoke(*words, "--shuffle", "1"))


def test_metric_of_more_than_two_classes(table, out):
    words = ("--task", "classification", "--target", "grade", *drops("label", "value", "query"))
    line = refused(table(), *words, "--end", "new", "--cv", "3", "--metric", "auc", out=out)
    assert "for two classes; with more, there are: zero_one, accuracy" in line


def test_folder_that_cannot_be_used(table, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    words = (table(), *CLASSIFY, *OTHERS, "--end", "new")
    for out in (file, file / "below"):
        line_of_error(invoke("trace", *words, "--out", out))
    assert file.read_text() == ""
