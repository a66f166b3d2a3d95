"""Ugly problems over all estimators, judged by what shares nothing with the library.

A thousand in the ordinary run, twenty thousand more with --slow; ``run.py`` beside this file runs
any others and says more.
"""

from __future__ import annotations

import pytest

from campaign.examine import examine
from campaign.summary import failing_lines, summary

ORDINARY, SLOW = 1000, 20_000
CHUNK, SLOW_CHUNK = 50, 500


def check(first: int, count: int) -> None:
    reports = [examine(seed) for seed in range(first, first + count)]
    print(summary(reports))
    failing = failing_lines(reports)
    assert not failing, "\n" + "\n".join(failing)


@pytest.mark.parametrize("first", range(0, ORDINARY, CHUNK))
def test_problems(first):
    check(first, CHUNK)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(ORDINARY, ORDINARY + SLOW, SLOW_CHUNK))
def test_more_problems(first):
    check(first, SLOW_CHUNK)
