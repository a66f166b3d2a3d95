"""Models that go through many changes, on hundreds of rows; ``chains.py`` runs any other seeds."""

from __future__ import annotations

import pytest

from campaign.chains import findings_of

ORDINARY, SLOW = 20, 500


def check(seed: int) -> None:
    found = findings_of(seed)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("seed", range(ORDINARY))
def test_chains(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(ORDINARY, ORDINARY + SLOW))
def test_more_chains(seed):
    check(seed)
