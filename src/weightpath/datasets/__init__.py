"""Data sets: the artificial data of the paper, built in, and loaders of its real data."""

from weightpath.datasets.bci import bci_tasks, load_bci
from weightpath.datasets.boston import load_boston
from weightpath.datasets.locations import DataNotFoundError, cache_folder
from weightpath.datasets.nasdaq import load_nasdaq, nasdaq_features
from weightpath.datasets.ohsumed import load_ohsumed
from weightpath.datasets.spambase import load_spambase
from weightpath.datasets.svmlight import read_svmlight
from weightpath.datasets.toy import make_toy

__all__ = [
    "DataNotFoundError",
    "bci_tasks",
    "cache_folder",
    "load_bci",
    "load_boston",
    "load_nasdaq",
    "load_ohsumed",
    "load_spambase",
    "make_toy",
    "nasdaq_features",
    "read_svmlight",
]
