"""Look at paths while they are followed, and end them early.

The loop runs without Python, and calls back now and then. A caller of an estimator cannot set the
options of the engine, hence a context: it concerns all paths followed inside it, in the same
thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["OBSERVER", "EarlyEnd", "PathObserver", "Report", "on_leg", "watching"]

# Called with theta, the number of events so far and the size of the margin.
Report = Callable[[float, int, int], object]


class EarlyEnd(Exception):  # noqa: N818 - not an error: the path ends where it is
    """Raised out of the loop to end the path at the current theta."""


class PathObserver:
    """Report theta to a function, and end paths once its result asks for that."""

    def __init__(self, callback: Report):
        self._callback = callback
        self._end = float("inf")

    def __call__(self, theta: float, n_events: int, margin_size: int) -> None:
        """Report a theta; raise :class:`EarlyEnd` to end the path there."""
        # The first request counts: paths that follow end at the same theta.
        if self._callback(theta, n_events, margin_size) and self._end == float("inf"):
            self._end = theta
        # A path must have a length.
        if theta >= self._end and theta > 0.0:
            raise EarlyEnd


# That of the innermost context, if there is one.
OBSERVER: ContextVar[PathObserver | None] = ContextVar("weightpath_observer", default=None)


@contextmanager
def watching(callback: Report) -> Iterator[None]:
    """Look at the paths followed inside this context, and end them early if need be.

    Parameters
    ----------
    callback : callable
        Called now and then, every 512 events or so, as ``callback(theta, n_events, margin_size)``.
        A true result ends the path there: its ``status`` is "stopped on request", it is exact as
        far as it goes, and the model stays where it was. From then on all paths inside the context
        end at that theta or soon after it, so that the paths of a model of several classes reach
        equally far. An error that it raises is passed on, and the path is lost.

    Examples
    --------
    >>> import weightpath as wp
    >>> from weightpath.engine import watching
    >>> toy = wp.datasets.make_toy(1600, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old)
    >>> with watching(lambda theta, n_events, margin_size: n_events > 500):
    ...     path = model.reweight(toy.w_new)
    >>> str(path.status), bool(0.0 < path.theta[-1] < 1.0)
    ('stopped on request', True)
    """
    token = OBSERVER.set(PathObserver(callback))
    try:
        yield
    finally:
        OBSERVER.reset(token)


def on_leg(left: float, right: float, *reports: Report | None) -> Report | None:
    """Return a function that reports to others: from theta on one leg to that of the whole path."""
    wanted = [report for report in reports if report is not None]
    if not wanted:
        return None

    def tell(theta: float, n_events: int, margin_size: int) -> None:
        for report in wanted:
            report(float(left + theta * (right - left)), n_events, margin_size)

    return tell
