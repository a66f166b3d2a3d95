"""The solution at the end of a path without the path; see :mod:`weightpath.engine._leap`."""

from __future__ import annotations

from weightpath.engine._leap import leap
from weightpath.engine.leg import LegEnd, LegRunner, resume
from weightpath.engine.legs import are_alike, is_one_leg
from weightpath.engine.results import Result
from weightpath.engine.sharpen import sharpened
from weightpath.engine.start import refuse_overflow, within_bounds
from weightpath.engine.threads import one_blas_thread
from weightpath.engine.trace import Options
from weightpath.engine.watch import OBSERVER
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

__all__ = ["leapt"]


@one_blas_thread
def leapt(
    columns: Columns, start: Staircase, end: Staircase, state: State, options: Options
) -> State | None:
    """Return the solution of ``end``, verified; ``None`` where only a path leads to it.

    Parameters
    ----------
    columns : Columns
        The kernel matrix, of rows.
    start, end : Staircase
        The two problems.
    state : State
        The exact solution of ``start``; it is not changed.
    options : Options
        How paths are followed.
    """
    if options.callback is not None or OBSERVER.get() is not None:
        # Somebody wants to see the way.
        return None
    if columns.structure is not None or columns.features is not None or not len(state.margin):
        return None
    refuse_overflow(end)
    if not is_one_leg(start, end, columns.largest_diagonal() + options.ridge, 0.0) and not (
        are_alike(start, end)
    ):
        return None
    reached = _reached(columns, start, end, state, options)
    if reached is None or reached.violation > reached.tolerance:
        return None
    refuse_overflow(end, reached.state)
    found = sharpened(columns, end, reached.state, reached.violation, reached.scale, options)
    return within_bounds(end, found)


def _reached(
    columns: Columns, start: Staircase, end: Staircase, state: State, options: Options
) -> LegEnd | None:
    """Return where a leap ends; ``None`` if its sets did not settle."""
    runner = LegRunner(columns, start, end, options)
    runner.loop = loop = resume(columns, start, end, state, options)
    try:
        return runner.finish(Result.END, loop) if leap(loop) else None
    finally:
        if runner.loop is not None:
            runner.close()
