"""What goes into a path and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weightpath.engine.record import Record
from weightpath.engine.status import Status

__all__ = ["Options", "State", "Trace"]


@dataclass(frozen=True)
class Options:
    """How a path is followed.

    Parameters
    ----------
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix (the paper used 1e-6); not needed here.
    max_events : int, default=1_000_000
        Stop after this many events: paths can be exponentially long.
    tie_limit : int or None, default=None
        Zero-length steps at one place before the tie is come at from its far side;
        ``None`` means ``50 + 5 n``.
    callback : callable or None, default=None
        Called now and then as ``callback(theta, n_events, margin_size)``, to show progress.
    """

    ridge: float = 0.0
    max_events: int = 1_000_000
    tie_limit: int | None = None
    callback: Callable[[float, int, int], object] | None = None


@dataclass(frozen=True, eq=False)
class State:
    """An exact solution with everything needed to go on from it.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Coefficients.
    bias : float
        The bias.
    position : ndarray of shape (n,), int32
        Where each row stands on its staircase.
    residual : ndarray of shape (n,)
        ``r = t - K beta - b``.
    margin : ndarray of shape (n_margin,)
        The free rows, in the order of the factor.
    tolerance : float
        How close to a level a residual can be told from it; 0 where it has not been measured.
    """

    beta: np.ndarray
    bias: float
    position: np.ndarray
    residual: np.ndarray
    margin: np.ndarray
    tolerance: float = 0.0


@dataclass(frozen=True, eq=False)
class Trace:
    """A path: its record, the state at its end, its status and some counts."""

    record: Record
    state: State
    status: Status
    counts: dict = field(default_factory=dict)
