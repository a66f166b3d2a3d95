r"""The first solution of a ranking problem: along the path from small weights.

With small enough weights :math:`s w` every pair is violated, so that all coefficients are at their
upper bounds and the solution is known. From there the weights grow to where they are wanted, by
the same engine that follows every other path: the solution is exact, without a tolerance.
"""

from __future__ import annotations

import numpy as np

from weightpath.engine import Options, State, follow, solve
from weightpath.problems import ranking_staircase

__all__ = ["solve_ranking"]

# Of the weights at which the first pair is satisfied; anything below one would do.
START = 0.5

# Weights grow by this factor on one path, so that no record of a long way is kept.
GROWTH = 10.0

# Of a starting point nobody wants half.
MOST_EVENTS = 1 << 40


def solve_ranking(columns, weight: np.ndarray, callback=None) -> State:
    """Return the exact solution at some weights.

    Parameters
    ----------
    columns : PairColumns
    weight : ndarray of shape (n_pairs,)
    callback : callable or None, default=None
        Called now and then as ``callback(part, n_events, margin_size)``, with the part of the way
        (in logarithms of the weights) that is behind.
    """
    reach = float(columns.product(weight).max(initial=0.0))
    scale = min(1.0, START / reach) if reach > 0 else 1.0
    state = solve(columns, ranking_staircase(scale * weight), scale * weight)
    legs = int(np.ceil(np.log(1.0 / scale) / np.log(GROWTH))) if scale < 1.0 else 0
    scales = scale ** (1.0 - np.arange(legs + 1) / max(legs, 1))
    events = 0
    for leg in range(legs):
        tell = None
        if callback is not None:

            def tell(theta, n_events, size, leg=leg, events=events):
                here = scales[leg] + theta * (scales[leg + 1] - scales[leg])
                callback(1.0 - np.log(here) / np.log(scale), events + n_events, size)

        trace = follow(
            columns,
            ranking_staircase(scales[leg] * weight),
            ranking_staircase(scales[leg + 1] * weight),
            state,
            Options(max_events=MOST_EVENTS, callback=tell),
        )
        state = trace.state
        events += trace.record.n_events
    return state
