"""Folders of small data sets in the files' own formats, and a machine without data or network."""

from __future__ import annotations

import gzip
import sys
from urllib.error import URLError

import pytest


def write(path, text):
    """Write a text file, packed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No variable, empty caches, no package arch and no connection; the cache's base folder."""
    monkeypatch.delenv("WEIGHTPATH_DATA", raising=False)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit-learn"))
    for module in ("arch", "arch.data", "arch.data.nasdaq"):
        monkeypatch.setitem(sys.modules, module, None)

    def refuse(*_, **__):
        raise URLError("no connection")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda _: None)
    return tmp_path / "cache"


@pytest.fixture
def home(tmp_path):
    """A folder for data that is not in the way of the caches."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder
