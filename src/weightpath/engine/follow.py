"""Follow a path from one problem to another, leg by leg."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from weightpath import tolerances
from weightpath.engine.definiteness import IndefiniteMarginError, not_psd
from weightpath.engine.journey import Journey, resume, solve
from weightpath.engine.record import concatenate
from weightpath.engine.start import within_bounds
from weightpath.engine.state import Options, State, Trace
from weightpath.engine.status import COMPLETE
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.watch import current_watch, on_leg
from weightpath.errors import PathError
from weightpath.problems import Staircase

__all__ = ["follow"]


@one_blas_thread
def follow(
    columns, start: Staircase, end: Staircase, state: State, options: Options | None = None
) -> Trace:
    """Follow the solution on the straight line from ``start`` to ``end``.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The two problems.
    state : State
        The exact solution of ``start``; it is not changed.
    options : Options or None, default=None
        How the path is followed.

    Returns
    -------
    Trace
    """
    options = options or Options()
    pieces, spans = [], []
    counts: dict = {}
    status = COMPLETE
    edges, watch = _legs(start, end), current_watch()
    for left, right in pairwise(edges):
        here = start if left == 0.0 else start.between(end, left)
        there = end if right == 1.0 else start.between(end, right)
        own = replace(options, callback=on_leg(left, right, options.callback, watch))
        journey = Journey(columns, here, there, own, sum(len(p.event_theta) for p in pieces))
        try:
            loop = resume(columns, here, there, state, options)
            state, violation, tolerance, stopped = journey.run(loop)
        except IndefiniteMarginError:
            raise not_psd(columns, here, options) from None
        finally:
            journey.close()
        for record, (a, b) in zip(journey.records, journey.spans, strict=True):
            pieces.append(record)
            stop = right if b == 1.0 else left + b * (right - left)
            spans.append((left + a * (right - left), stop))
        for key, value in journey.counts.items():
            counts[key] = counts.get(key, 0) + value
        if stopped:
            status = stopped
            break
        if violation > tolerance:
            state = solve(columns, there, state.beta, state.bias, replace(options, callback=None))
            counts["repairs"] = counts.get("repairs", 0) + 1
    if not pieces:
        raise PathError(
            f"The path was stopped by max_events={options.max_events} before it could leave "
            "theta = 0. Raise max_events."
        )
    if status == COMPLETE:
        state = within_bounds(end, state)
    return Trace(concatenate(pieces, spans), state, status, counts)


def _legs(start: Staircase, end: Staircase) -> np.ndarray:
    """Split the line so that the largest knot changes at most by a factor on each leg."""
    a, b = start.knot_scale(), end.knot_scale()
    low, high = min(a, b), max(a, b)
    if low <= 0.0 or high <= tolerances.LEG_GROWTH * low:
        return np.array([0.0, 1.0])
    n_legs = int(np.ceil(np.log(high / low) / np.log(tolerances.LEG_GROWTH)))
    scales = a * (b / a) ** (np.arange(n_legs + 1) / n_legs)
    edges = (scales - a) / (b - a)
    edges[0], edges[-1] = 0.0, 1.0
    return np.unique(np.clip(edges, 0.0, 1.0))
