"""Follow a path from one problem to another, leg by leg."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from weightpath import tolerances
from weightpath.engine.bias import kappa_of
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
from weightpath.problems.staircase import FAR

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
    kappa, watch = kappa_of(columns, options.ridge), current_watch()
    # Without targets and levels the residuals themselves say what is large.
    own_scale = float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
    for left, right in pairwise(legs_of(start, end, kappa, own_scale)):
        here = start if left == (0.0, 1.0) else start.between(end, *left)
        there = end if right == (1.0, 0.0) else start.between(end, *right)
        own = replace(options, callback=on_leg(left[0], right[0], options.callback, watch))
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
            spans.append((_between(left, right, a), _between(left, right, b)))
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


def _between(left: tuple, right: tuple, part: float) -> tuple[float, float]:
    """Return theta and ``1 - theta`` at a part of the way between two places."""
    if part in (0.0, 1.0):
        return right if part else left
    rest = (1.0 - part) * left[1] + part * right[1]
    theta = left[0] + part * (right[0] - left[0])
    return (1.0 - rest if left[0] > 0.5 else theta), rest


def legs_of(start: Staircase, end: Staircase, kappa, own_scale: float) -> list:
    """Return where legs begin and end, as theta and ``1 - theta``.

    On each leg the largest knot, and the largest target or level, change at most by a factor; and
    so does the distance from an end at which bounds come down to the size of their coefficients.

    Parameters
    ----------
    start, end : Staircase
    kappa : ndarray of shape (n,)
        How far a coefficient's change by one may move any residual.
    own_scale : float
        What is large where there are no targets and no levels.
    """
    edges = {(0.0, 1.0), (1.0, 0.0)}
    for a, b in (
        (start.knot_scale(), end.knot_scale()),
        (start.residual_scale(), end.residual_scale()),
    ):
        low, high = min(a, b), max(a, b)
        if low > 0.0 and high > tolerances.LEG_GROWTH * low:
            n_legs = int(np.ceil(np.log(high / low) / np.log(tolerances.LEG_GROWTH)))
            scales = a * (b / a) ** (np.arange(1, n_legs) / n_legs)
            edges |= {(float((s - a) / (b - a)), float((s - b) / (a - b))) for s in scales}
    for one, other, turned in ((start, end, False), (end, start, True)):
        distance, least = 1.0 / tolerances.LEG_STRETCH, 1.0 / _fall(one, other, kappa, own_scale)
        while distance > least:
            edge = 1.0 - distance, distance
            edges.add(edge[::-1] if turned else edge)
            distance /= tolerances.LEG_STRETCH
    inside = [edge for edge in edges if edge[0] >= 0.0 and edge[1] >= 0.0]
    return sorted(inside, key=lambda edge: (edge[0], -edge[1]))


def _fall(start: Staircase, end: Staircase, kappa: np.ndarray, own_scale: float) -> float:
    """Return the largest factor by which a bound falls to where it matters for its coefficient."""
    before, after = np.abs(start.knots), np.abs(end.knots)
    scale = end.residual_scale() or own_scale
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        felt = np.where(kappa > 0.0, scale / kappa, np.inf)[:, None]
        factor = before / np.maximum(after, felt)
    falls = (before > after) & (before < FAR) & np.isfinite(factor)
    return max(float(factor.max(initial=1.0, where=falls)), _fall_of_levels(start, end, scale))


def _fall_of_levels(start: Staircase, end: Staircase, scale: float) -> float:
    """Return the largest factor by which an outer level falls to where residuals meet it."""
    before, after = (np.abs(stair.levels[:, [0, -1]]) for stair in (start, end))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        factor = before / np.maximum(after, scale)
    falls = (before > after) & np.isfinite(factor)
    return float(factor.max(initial=1.0, where=falls))
