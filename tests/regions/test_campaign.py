"""Generated planes, and those that maps have failed on in the past."""

from __future__ import annotations

import pytest

from regions.campaign import judge

# Two bounds of a loose bias that change places at once; rows that are dependent but for rounding;
# features of different scales, for which rounding decides where a map begins.
PAST = [1230, 1243, 1449, 1800, 2529, 2758, 2848, 2890, 4111, 4928, 6066]


@pytest.mark.filterwarnings("ignore::weightpath.PrecisionWarning")
@pytest.mark.parametrize("seed", [*range(30), *PAST])
def test_generated_planes(seed):
    name, wrong = judge(seed)
    assert wrong in ("", "ties", "refused"), name
