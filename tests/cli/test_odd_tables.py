"""Odd tables: read rightly, or refused in one clear line with exit code 2; never a traceback."""

from __future__ import annotations

import codecs
import gzip
import json

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("skops")
pytest.importorskip("pandas")

import pandas

import weightpath as wp
from cli.command_line import invoke
from weightpath.cli.input.date_text import date_format
from weightpath.cli.input.number_text import read_numbers

N = 40


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    monkeypatch.setattr("weightpath.cli.commands.trace_run.draw_pictures", lambda *results: [])


def frame():
    """Return a plain table: what every odd one below should be read as."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, N)).round(3)
    big = (1000 * random.uniform(1, 9999, size=N)).round(2)
    colour = random.choice(["rot", "grün", "blau"], N)
    y = np.where(a + 0.5 * b + (colour == "rot") + 0.3 * random.normal(size=N) > 0.3, "ja", "nein")
    return pandas.DataFrame({"a": a, "b": b, "big": big, "colour": colour, "y": y})


def text(table=None, sep=",", **options) -> str:
    return (frame() if table is None else table).to_csv(index=False, sep=sep, **options)


def german(value: float) -> str:
    return f"{value:,.3f}".translate(str.maketrans(",.", ".,"))


def numbers_as(write, *names):
    return frame().assign(**{name: [write(v) for v in frame()[name]] for name in names})


# What a file holds, as bytes. All of them are the plain table.
SAME = {
    "plain": text().encode(),
    "mark of UTF-8": codecs.BOM_UTF8 + text().encode(),
    "Latin-1": text().encode("latin-1"),
    "UTF-16": text().encode("utf-16"),
    "UTF-16, big end first": codecs.BOM_UTF16_BE + text().encode("utf-16-be"),
    "UTF-16 without a mark": text().encode("utf-16-le"),
    "UTF-32": text().encode("utf-32"),
    "semicolons": text(sep=";").encode(),
    "tabs": text(sep="\t").encode(),
    "bars": text(sep="|").encode(),
    "blanks": text(sep=" ").encode(),
    "line ends of Windows": text().replace("\n", "\r\n").encode(),
    "line ends of old Macs": text().replace("\n", "\r").encode(),
    "no line end at the end": text().rstrip().encode(),
    "empty lines": text().replace("\n", "\n\n").encode(),
    "empty lines first": b"\n\n" + text().encode(),
    "quotes everywhere": text(quoting=1).encode(),
    "blanks after commas": text().replace(",", ", ").encode(),
    "decimal commas": text(sep=";", decimal=",").encode(),
    "decimal commas and tabs": text(sep="\t", decimal=",").encode(),
    "decimal commas, quoted": text(decimal=",", quoting=1).encode(),
    "German thousands": text(numbers_as(german, "a", "b", "big"), sep=";").encode(),
    "American thousands": text(numbers_as("{:,.2f}".format, "big")).encode(),
    "thousands by blanks": text(
        numbers_as(lambda v: f"{v:,.2f}".replace(",", "\u00a0"), "big")
    ).encode(),
    "Swiss thousands": text(numbers_as(lambda v: f"{v:,.2f}".replace(",", "'"), "big")).encode(),
    "dollars": text(numbers_as("${:,.2f}".format, "big")).encode(),
    "long minus": text(numbers_as(lambda v: str(v).replace("-", "\u2212"), "a", "b")).encode(),
    "scientific": text(numbers_as("{:.8e}".format, "a", "big")).encode(),
    "the line of Excel": b"sep=;\n" + text(sep=";").encode(),
    "packed": gzip.compress(text().encode()),
}


def traced(tmp_path, content, name="table.csv", *more, target="y"):
    file = tmp_path / name
    file.write_bytes(content)
    words = ("--target", target, "--task", "classification", "--end", "balanced", *more)
    return invoke("trace", file, *words, "--out", tmp_path / "out", "--json")


@pytest.fixture(scope="module")
def plain_events(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weightpath.cli.commands.trace_run.draw_pictures", lambda *results: [])
        answer = traced(folder, SAME["plain"])
    assert answer.exit_code == 0, answer.output
    return wp.load(folder / "out" / "path.npz")


@pytest.mark.parametrize("name", SAME)
def test_the_same_table_in_many_forms(tmp_path, plain_events, name):
    packed = ".gz" if name == "packed" else ""
    answer = traced(tmp_path, SAME[name], f"table.csv{packed}")
    assert answer.exit_code == 0, answer.output
    path = wp.load(tmp_path / "out" / "path.npz")
    assert np.allclose(path.X, plain_events.X, atol=1e-9)
    assert path.theta == pytest.approx(plain_events.theta, abs=1e-6)
    assert path.classes.tolist() == ["ja", "nein"]


def test_sheets_of_a_workbook(tmp_path, plain_events):
    pytest.importorskip("openpyxl")
    file = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(file) as writer:
        frame().to_excel(writer, sheet_name="data", index=False)
        pandas.DataFrame({"other": [1]}).to_excel(writer, sheet_name="notes", index=False)
    answer = traced(tmp_path, file.read_bytes(), "book.xlsx")
    found = json.loads(answer.stdout)
    assert any("sheet 'data' of 2" in note for note in found["notes"])
    assert np.allclose(wp.load(tmp_path / "out" / "path.npz").X, plain_events.X, atol=1e-9)
    answer = traced(tmp_path, file.read_bytes(), "book.xlsx", "--sheet", "nix")
    assert answer.exit_code == 2 and "it has 'data', 'notes'" in answer.stderr
    answer = traced(tmp_path, SAME["plain"], "table.csv", "--sheet", "data")
    assert answer.exit_code == 2 and "--sheet is for xlsx files" in answer.stderr


def column(values):
    """Return a table with one more column."""
    return text(frame().assign(more=list(values))).encode()


# A further column, and what becomes of it: its kind, or why it is left out.
COLUMNS = {
    "gaps": ([None if k % 3 == 0 else k * 0.5 for k in range(N)], "number"),
    "marks of gaps": (["NA" if k % 3 == 0 else k for k in range(N)], "number"),
    "question marks": (["?" if k % 3 == 0 else k for k in range(N)], "number"),
    "errors of Excel": (["#DIV/0!" if k % 5 == 0 else k for k in range(N)], "number"),
    "one word among numbers": (["?!x" if k == 3 else k for k in range(N)], "number"),
    "percent": ([f"{k}%" for k in range(N)], "number"),
    "few texts": (["x" if k % 3 else "y" for k in range(N)], "text"),
    "texts with gaps": ([None if k % 3 else "y" for k in range(N)], "text"),
    "codes and words": ([("1", "2", "A")[k % 3] for k in range(N)], "text"),
    "yes and no": ([k % 3 == 0 for k in range(N)], "text"),
    "line breaks in texts": (["x\ny" if k % 2 else "z" for k in range(N)], "text"),
    "ISO dates": ([f"2021-03-{k % 28 + 1:02d}" for k in range(N)], "date"),
    "times": ([f"2021-03-01T{k % 24:02d}:30:00Z" for k in range(N)], "date"),
    "German dates": ([f"{k % 28 + 1:02d}.03.2021" for k in range(N)], "date"),
    "American dates": ([f"03/{k % 28 + 1:02d}/2021" for k in range(N)], "date"),
    "written dates": ([f"{k % 28 + 1} Mar 2021" for k in range(N)], "date"),
    "clock": ([f"{k % 24:02d}:15" for k in range(N)], "date"),
    "dates with gaps": ([None if k % 4 else f"2021-03-{k // 2 + 1:02d}" for k in range(N)], "date"),
    "names": ([f"name {k}" for k in range(N)], "40 different texts in 40 rows"),
    "one text": (["x"] * N, "the same everywhere"),
    "one number": ([7] * N, "the same everywhere"),
    "one date": (["2021-03-01"] * N, "the same everywhere"),
    "nothing": ([None] * N, "empty"),
    "only marks of gaps": (["NA"] * N, "empty"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_further_column(tmp_path, name):
    values, expected = COLUMNS[name]
    answer = traced(tmp_path, column(values))
    assert answer.exit_code == 0, answer.output
    data = json.loads(answer.stdout)["data"]
    if expected in ("number", "text", "date"):
        plain = {"number": 3, "text": 1, "date": 0}
        assert data["kinds"] == {**plain, expected: plain[expected] + 1}
        assert data["left_out"] == {}
    else:
        assert data["left_out"] == {"more": expected}
    # The same file has predictions, too.
    file = tmp_path / "table.csv"
    answer = invoke("predict", tmp_path / "out", file, "--out", tmp_path / "p.csv")
    assert answer.exit_code == 0, answer.output
    assert len((tmp_path / "p.csv").read_text().splitlines()) == N + 1


def test_a_column_is_kept_if_asked_for(tmp_path):
    values, _ = COLUMNS["names"]
    answer = traced(tmp_path, column(values), "table.csv", "--keep", "more")
    assert json.loads(answer.stdout)["data"]["kinds"]["text"] == 2
    answer = traced(tmp_path, column(values), "table.csv", "--keep", "y")
    assert answer.exit_code == 2 and "taken by another option" in answer.stderr


def test_words_among_numbers_are_named(tmp_path):
    values, _ = COLUMNS["one word among numbers"]
    notes = json.loads(traced(tmp_path, column(values)).stdout)["notes"]
    assert any("1 of 40 values are no numbers ('?!x')" in note for note in notes)


def test_days_and_months_that_could_be_exchanged_are_named(tmp_path):
    values = [f"{k % 12 + 1:02d}/{k % 5 + 1:02d}/2021" for k in range(N)]
    notes = json.loads(traced(tmp_path, column(values)).stdout)["notes"]
    assert any("is read as day and month" in note for note in notes)


def test_numbers_of_rows_are_no_feature(tmp_path):
    table = frame().assign(customer_id=range(100, 100 + N), year=range(1990, 1990 + N))
    data = json.loads(traced(tmp_path, text(table).encode()).stdout)["data"]
    assert data["left_out"] == {"customer_id": "a number for each row"}
    assert data["kinds"]["number"] == 4


def test_codes_stay_codes_in_other_files(tmp_path):
    # All codes of the new file are whole numbers, with a gap even fractions for pandas.
    values, _ = COLUMNS["codes and words"]
    assert traced(tmp_path, column(values)).exit_code == 0
    new = frame().assign(more=[1 if k % 2 else None for k in range(N)])
    new.to_csv(tmp_path / "new.csv", index=False)
    answer = invoke("predict", tmp_path / "out", tmp_path / "new.csv", "--out", tmp_path / "p.csv")
    assert answer.exit_code == 0 and "had nowhere" not in answer.stderr.replace("(missing)", "")


# What cannot be read, and a word of the message.
REFUSED = {
    "nothing": (b"", "is empty"),
    "blank lines": (b"\n \n\t\n", "is empty"),
    "a header only": (b"a,b,y\n", "has no rows"),
    "a mark only": (codecs.BOM_UTF8, "empty"),
    "bytes": (bytes(range(256)) * 8, "not a text file"),
    "half of a UTF-16 file": (text().encode("utf-16")[:-1], "damaged"),
    "rows of different lengths": (b"a,b,y\n1,2,ja\n1,2,ja,3\n", "not a table"),
    "too few names": (b"a,b\n1,2,ja\n3,4,nein\n", "more fields than its first line"),
    "an open quote": (b'a,b,y\n1,"2,ja\n3,4,nein\n', "not a table"),
    "a workbook as CSV": (b"PK\x03\x04 something", "--format xlsx"),
    "no such column": (text().replace(",y\n", ",z\n", 1).encode(), "no column 'y'"),
    "nothing but the target": (b"y\nja\nnein\n" * 3, "no features left"),
    "only names": (
        ("who,y\n" + "".join(f"p{k},{'ja' if k % 2 else 'nein'}\n" for k in range(30))).encode(),
        "no features left",
    ),
    "infinite": (text(frame().assign(a=[np.inf, *frame()["a"][1:]])).encode(), "not finite"),
    "one class": (text(frame().assign(y="ja")).encode(), "one class only"),
    "labels missing": (
        text(frame().assign(y=[None, *frame()["y"][1:]])).encode(),
        "is empty in row",
    ),
    "labels that are quantities": (
        text(frame().assign(y=frame()["a"])).encode(),
        "--task regression",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(tmp_path, name):
    content, says = REFUSED[name]
    answer = traced(tmp_path, content)
    assert answer.exit_code == 2, answer.output
    assert isinstance(answer.exception, SystemExit)
    assert answer.stderr.count("\n") == 1 and says in answer.stderr, answer.stderr
    assert json.loads(answer.stdout)["exit_code"] == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("seed", range(60))
def test_bytes_changed_by_chance_are_read_or_refused(tmp_path, seed):
    random = np.random.default_rng(seed)
    forms = [SAME[name] for name in ("plain", "semicolons", "UTF-16", "decimal commas", "packed")]
    content = bytearray(forms[seed % len(forms)])
    for place in random.integers(len(content), size=random.integers(1, 12)):
        content[place] = random.integers(256)
    if seed % 3 == 0:
        content = content[: random.integers(1, len(content))]
    name = "table.csv.gz" if seed % len(forms) == 4 else "table.csv"
    answer = traced(tmp_path, bytes(content), name)
    assert answer.exit_code in (0, 2), answer.output
    if answer.exit_code == 2:
        assert answer.stderr.count("\n") == 1 and answer.stderr.startswith("Error: ")


@pytest.mark.parametrize(
    ("texts", "decimal", "expected"),
    [
        (["1,234", "12,345,678.5"], ".", [1234, 12345678.5]),
        (["1.234", "0,5", "12.345,75"], ",", [1234, 0.5, 12345.75]),
        (["1.234.567"], ".", [1234567]),
        (["$ 1,200", "€3.5", "15 %"], ".", [1200, 3.5, 15]),
        (["1e3", "+2", "-.5", ".5"], ".", [1000, 2, -0.5, 0.5]),
        (["", "NaN", "n/a", "-"], ".", [np.nan] * 4),
    ],
)
def test_texts_as_numbers(texts, decimal, expected):
    values, bad = read_numbers(pandas.Series(texts, dtype=object), decimal)
    assert np.array_equal(values, expected, equal_nan=True) and not bad.any()


@pytest.mark.parametrize("words", [["1,23", "x"], ["12-13", "5"], ["1 2", "3"], ["1,2,3", "4"]])
def test_texts_that_are_no_numbers(words):
    assert read_numbers(pandas.Series(words, dtype=object))[1][0]


@pytest.mark.parametrize("words", [["a1", "b2"], ["12", "13"], ["A-12", "B-13"], ["1.5", "2.5"]])
def test_texts_that_are_no_dates(words):
    assert date_format(np.array(words, dtype=object)) is None
