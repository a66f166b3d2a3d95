"""Tables that are whole, and tables that are broken."""

import gzip

import numpy as np
import pytest

from weightpath.datasets import load_boston, load_spambase
from weightpath.datasets.tables import read_bytes, read_table

from .conftest import write


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "a,b\n1,2\n3,4\n",
        "\ufeffa,b\r\n1,2\r\n\r\n3,4",
        "1 2\n  3.0e+000\t4\n",
        ' 1 ,"2"\n3,4\n',
    ],
)
def test_whole_tables(tmp_path, text):
    table = read_table(write(tmp_path / "table.csv", text), 2)
    assert table.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3\n", "line 2: 1 fields where 2 are expected"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where 2"),
        ("1,2\n3,?\n", "line 2: '[?]' is not a finite number"),
        ("1,2\n3,\n", "line 2: '' is not a finite number"),
        ("1,2\n\n3,nan\n", "line 3: 'nan'"),
        ("1,x\n3,4\n", "line 1: 'x'"),
        ("", "has no rows"),
        ("a,b\n", "has no rows"),
    ],
)
def test_broken_tables_are_named_by_line(tmp_path, text, message):
    path = write(tmp_path / "table.csv", text)
    with pytest.raises(ValueError, match=message) as caught:
        read_table(path, 2)
    assert str(path) in str(caught.value)


def test_damaged_archives(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n" * 1000)[:-20])
    with pytest.raises(ValueError, match="damaged or cut short"):
        read_bytes(path)
    for end in (".gz", ".bz2", ".xz"):
        path = tmp_path / f"other{end}"
        path.write_bytes(b"1,2\n")
        with pytest.raises(ValueError, match="damaged or cut short"):
            read_bytes(path)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none.gz")


def test_not_a_text(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not a text file"):
        read_table(path, 2)


def test_boston_takes_the_last_column_for_target(home):
    row = ",".join(str(value) for value in range(14))
    write(home / "boston" / "boston.csv.gz", f"{row}\n{row}\n")
    boston = load_boston(home)
    assert boston.data.tolist() == [list(range(13))] * 2
    assert boston.target.tolist() == [13, 13]
    assert len(boston.feature_names) == 13 and boston.feature_names[-1] == "LSTAT"


def test_spambase_with_and_without_header(home):
    rows = "\n".join(",".join([str(i)] * 57 + [str(i % 2)]) for i in range(3))
    write(home / "spambase" / "spambase.data", rows)
    plain = load_spambase(home)
    assert plain.data.shape == (3, 57) and plain.target.tolist() == [0, 1, 0]
    header = ",".join(plain.feature_names) + ", email\n"
    write(home / "spambase" / "spambase.csv", header + rows)
    assert np.array_equal(load_spambase(home).data, plain.data)


def test_spambase_wants_zeros_and_ones(home):
    write(home / "spambase" / "spambase.csv", ",".join(["0"] * 57 + ["2"]))
    with pytest.raises(ValueError, match="1 for spam"):
        load_spambase(home)
