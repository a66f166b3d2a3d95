"""Where loaders look, in which order, and what they say when there is nothing."""

import bz2
import lzma

import pytest

from weightpath import datasets
from weightpath.datasets import DataNotFoundError, cache_folder, load_boston, load_ohsumed

from .conftest import write

ROW = ",".join(["1"] * 13)


def boston(folder, price):
    return write(folder / "boston" / "boston_housing.csv", f"{ROW},{price}\n{ROW},{price}\n")


def test_named_folder_then_variable_then_cache(nowhere, home, tmp_path, monkeypatch):
    variable = tmp_path / "variable"
    boston(home, 1)
    boston(variable, 2)
    boston(cache_folder(), 3)
    monkeypatch.setenv("WEIGHTPATH_DATA", str(variable))
    assert load_boston(home).target[0] == 1
    assert load_boston().target[0] == 2
    (variable / "boston" / "boston_housing.csv").unlink()
    assert load_boston().target[0] == 3
    monkeypatch.delenv("WEIGHTPATH_DATA")
    assert load_boston().target[0] == 3


def test_named_folder_is_the_only_one(nowhere, home):
    boston(cache_folder(), 3)
    with pytest.raises(DataNotFoundError):
        load_boston(home)


def test_files_may_lie_beside_the_folder(nowhere, home):
    boston(home, 5)
    assert load_boston(home / "boston").target.tolist() == [5, 5]


@pytest.mark.parametrize(("end", "pack"), [(".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files_are_read_and_nothing_is_written(nowhere, home, end, pack):
    (home / "boston").mkdir()
    path = home / "boston" / f"boston_housing.csv{end}"
    path.write_bytes(pack(f"{ROW},7\n".encode()))
    assert load_boston(home).target.tolist() == [7]
    assert list((home / "boston").iterdir()) == [path]


def test_no_such_folder(nowhere, home):
    with pytest.raises(DataNotFoundError, match=r"there is none at .*typo"):
        load_boston(home / "typo")


@pytest.mark.parametrize(
    ("load", "folder", "file", "advice"),
    [
        (datasets.load_nasdaq, "nasdaq", "nasdaq_1999_2018.csv", "pip install arch"),
        (datasets.load_boston, "boston", "boston_housing.csv", "OpenML"),
        (datasets.load_spambase, "spambase", "spambase.csv", "OpenML"),
        (lambda: load_ohsumed(1), "ohsumed", "S1.txt", "LETOR 3.0"),
        (datasets.load_bci, "bci", "labels_subject1_psd04.txt", "BCI Competition III"),
    ],
)
def test_error_says_what_to_do(nowhere, load, folder, file, advice, tmp_path, monkeypatch):
    monkeypatch.setenv("WEIGHTPATH_DATA", str(tmp_path / "none"))
    with pytest.raises(OSError, match="were not found") as caught:
        load()
    message = str(caught.value)
    assert isinstance(caught.value, DataNotFoundError)
    for part in (file, advice, "WEIGHTPATH_DATA", "data_home", f"a folder named '{folder}'"):
        assert part in message
    assert f"{tmp_path / 'none' / folder}: no such folder" in message
    assert str(cache_folder() / folder) in message


def test_error_names_the_files_that_are_missing(nowhere, home):
    write(home / "ohsumed" / "S2.txt.gz", "0 qid:1 1:1\n")
    with pytest.raises(DataNotFoundError, match=r"ohsumed: without S1.txt, S3.txt\n"):
        load_ohsumed(1, "train", home)


def test_no_download_unless_allowed(nowhere, home, monkeypatch):
    def download(*_, **__):
        raise AssertionError("nobody asked for a download")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", download)
    for load in (datasets.load_boston, datasets.load_spambase):
        with pytest.raises(DataNotFoundError):
            load(home, download_if_missing=False)


def test_cache_folder_belongs_to_the_user(nowhere):
    assert cache_folder().name == "weightpath"
    assert nowhere in cache_folder().parents
