"""A leg on which the loop may stop: restart it beyond ties, and where the numbers went astray."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weightpath.engine._loop import Loop
from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.leg import MOST_EVENTS, LegEnd, LegRunner, resume
from weightpath.engine.results import Result
from weightpath.engine.solve import solve
from weightpath.engine.start import state_of
from weightpath.errors import PathError
from weightpath.problems.scales import is_beyond_precision
from weightpath.record import Record, reverse
from weightpath.record.state import State

__all__ = ["MENDABLE", "LegRepairer"]

# Where a loop stops for these reasons, others may go on.
MENDABLE = (Result.TIES, Result.STALE, Result.ASTRAY)

# Repairs on one leg before it is given up.
_REPAIRS = 12

# Fractions of the remaining leg at which to restart beyond a tie, tried in this order.
_FAR_SIDES = (1.3e-4, 1.2e-3, 1.1e-2, 0.11)


class LegRepairer:
    """Run further loops along a leg, where one has stopped, until its end is reached.

    Parameters
    ----------
    leg : LegRunner
        The leg; its records are complete at the end.
    repairable : bool
        Whether the leg is repaired where the numbers go astray.
    """

    def __init__(self, leg: LegRunner, repairable: bool):
        self.leg, self.repairable = leg, repairable
        self.repairs = 0
        self.repaired_at = -1.0

    def go_on(self, result: Result, loop: Loop) -> LegEnd:
        """Go on from where a loop has stopped, with others after it, until the leg ends."""
        while result in MENDABLE:
            if result is Result.TIES:
                loop = self._untie(loop)
            elif (result is Result.STALE or self.repairable) and self.repairs < _REPAIRS:
                loop = self._repair(loop)
            else:
                return LegEnd(state_of(loop), np.inf, 0.0)
            result = self.leg.run_until_stop(loop)
        return self.leg.finish(result, loop)

    def _stop_here(self, loop: Loop) -> State:
        """Keep what a loop has recorded and close it; return the state it has reached."""
        state = state_of(loop)
        self.leg.keep(loop, loop.state.theta)
        loop.close()
        return state

    def _untie(self, loop: Loop) -> Loop:
        """Restart beyond a tie.

        A little further on, where the tied rows have separated, the problem is solved afresh (from
        a random shift, hence without ties) and followed back to here. That path, reversed, is the
        missing piece: exact, and with ties only at its end.
        """
        leg = self.leg
        leg.counts["ties"] += 1
        state = self._stop_here(loop)
        for fraction in _FAR_SIDES:
            ahead = leg.theta + fraction * (1.0 - leg.theta)
            found = self._from_far_side(ahead, state)
            if found is not None:
                piece, beyond = found
                leg.add_piece(piece, ahead)
                there = leg.start.between(leg.end, ahead)
                return resume(leg.columns, there, leg.end, beyond, leg.options)
        raise leg.failure(Result.TIES, leg.theta, state)

    def _from_far_side(self, ahead: float, state: State) -> tuple[Record, State] | None:
        """Return the record from here to ``ahead`` and the state there; ``None`` if it fails."""
        leg = self.leg
        here, there = (leg.start.between(leg.end, theta) for theta in (leg.theta, ahead))
        options = replace(leg.options, max_events=MOST_EVENTS, tie_limit=None, callback=None)
        back = LegRunner(leg.columns, there, here, options)
        try:
            beyond = solve(leg.columns, there, state.beta, state.bias, options)
            end = back.run(resume(leg.columns, there, here, beyond, options))
        except (PathError, IndefiniteMarginError):
            return None
        finally:
            back.close()
        if end.stopped or end.violation > end.tolerance or len(back.records) != 1:
            return None
        return reverse(back.records[0]), beyond

    def _repair(self, loop: Loop) -> Loop:
        """Solve the true problem at this theta afresh and go on from there."""
        leg = self.leg
        self.repairs += 1
        leg.counts["repairs"] += 1
        state = self._stop_here(loop)
        true = leg.start.between(leg.end, leg.theta)
        options = replace(leg.options, callback=None)
        state = solve(leg.columns, true, state.beta, state.bias, options)
        loop = resume(leg.columns, true, leg.end, state, leg.options)
        scale = loop.state.scales.residual_scale
        if leg.theta == self.repaired_at and is_beyond_precision(state.tolerance, scale):
            # The same would happen again, and the shifts are roundings as long as it is.
            loop.state.scales.carry_roundings()
        self.repaired_at = leg.theta
        return loop
