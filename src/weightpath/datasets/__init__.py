"""Data sets: the artificial data of the paper, built in."""

from weightpath.datasets.toy import make_toy

__all__ = ["make_toy"]
