"""Prequential evaluation: every row is first predicted, then learnt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from weightpath.estimators.checks import check_whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.applications.prequential_display import PrequentialDisplay

# Of targets and predictions, the loss of each row.
Loss = Callable[[NDArray[Any], NDArray[Any]], ArrayLike]

__all__ = ["Prequential", "prequential"]

LOSSES: dict[str, Loss] = {
    "zero_one": lambda y, guess: (y != guess).astype(float),
    "absolute": lambda y, guess: np.abs(y - guess),
    "squared": lambda y, guess: (y - guess) ** 2,
}


@dataclass(frozen=True, eq=False, repr=False)
class Prequential:
    """What a model predicted on its way through a stream, and what learning took.

    Attributes
    ----------
    row : ndarray of int, of shape (n_tested,)
        The rows that were predicted, in their order.
    target, prediction, loss : ndarray of shape (n_tested,)
        What was observed, what was predicted, and how far apart they are.
    metric : str
        The name of the loss.
    step_row : ndarray of int, of shape (n_steps,)
        The first row that each step learnt.
    seconds : ndarray of shape (n_steps,)
        What learning took, by the clock.
    n_events : ndarray of int, of shape (n_steps,)
        Events of the path of each step; -1 where a model has no path.
    """

    row: NDArray[np.intp]
    target: NDArray[Any]
    prediction: NDArray[Any]
    loss: NDArray[np.float64]
    metric: str
    step_row: NDArray[np.intp]
    seconds: NDArray[np.float64]
    n_events: NDArray[np.intp]

    @property
    def mean(self) -> float:
        """The mean loss over all tested rows."""
        return float(self.loss.mean()) if self.loss.size else float("nan")

    @property
    def cumulative(self) -> NDArray[np.float64]:
        """The mean loss up to each tested row."""
        return np.cumsum(self.loss) / np.arange(1, len(self.loss) + 1)

    def rolling(self, n: int) -> NDArray[np.float64]:
        """Return the mean loss over the last ``n`` tested rows, of fewer at the beginning.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        ndarray of shape (n_tested,)
            The means.
        """
        n = check_whole_number("n", n, 1)
        total = np.concatenate([[0.0], np.cumsum(self.loss)])
        last = np.arange(1, len(self.loss) + 1)
        first = np.maximum(last - n, 0)
        means: NDArray[np.float64] = (total[last] - total[first]) / (last - first)
        return means

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> PrequentialDisplay:
        """Draw the mean loss along the stream.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        **kwargs
            Passed to :meth:`PrequentialDisplay.plot`.

        Returns
        -------
        PrequentialDisplay
            Holds ``ax_`` and ``figure_``.
        """
        from weightpath.applications.prequential_display import PrequentialDisplay

        return PrequentialDisplay(self).plot(ax, **kwargs)

    def __repr__(self) -> str:
        return (
            f"<Prequential: mean {self.metric} loss {self.mean:.4g} over {len(self.loss)} rows, "
            f"{len(self.seconds)} steps in {self.seconds.sum():.3g} s>"
        )


def prequential(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    batch: int = 1,
    start: int | None = None,
    delay: int = 0,
    metric: str | Loss | None = None,
) -> Prequential:
    """Send a stream through a model: it predicts a batch, then learns it, and so on.

    Parameters
    ----------
    model : object
        An estimator with ``partial_fit`` and ``predict``. It is changed: afterwards it has learnt
        the stream.
    X : array-like or sparse matrix of shape (n, n_features)
        Instances, oldest first.
    y : array-like of shape (n,)
        Labels or targets.
    batch : int, default=1
        How many rows arrive at a time.
    start : int or None, default=None
        So many rows are learnt at first, at once and unpredicted. None is one batch for a model
        that has learnt nothing yet, else no row.
    delay : int, default=0
        How many rows later the target of a row is known: a row is learnt when so many after it have
        been predicted. A target that looks five days ahead has a delay of five.
    metric : {"zero_one", "squared", "absolute"}, callable or None, default=None
        The loss; a function of targets and predictions returns the loss of each row. None is
        "zero_one" for classifiers, "squared" for others.

    Returns
    -------
    Prequential
        Predictions, losses, times and events.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.applications import prequential
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] + np.linspace(-2, 2, 200) * X[:, 1] > 0, 1, -1)
    >>> forgetful = wp.OnlineSVC(window=40, forgetting=3.0, C=10.0, kernel="linear")
    >>> stubborn = wp.OnlineSVC(forgetting=None, C=10.0, kernel="linear")
    >>> losses = [prequential(m, X, y, batch=5).mean for m in (forgetful, stubborn)]
    >>> losses[0] < losses[1]
    True
    """
    batch = check_whole_number("batch", batch, 1)
    delay = check_whole_number("delay", delay, 0)
    X = X if issparse(X) or hasattr(X, "iloc") else np.asarray(X)
    X = X.tocsr() if issparse(X) else X
    y = np.asarray(y)
    check_consistent_length(X, y)
    n = len(y)
    name, loss = _loss(metric, model)
    fresh = not _is_fitted(model)
    start = min(batch * fresh, n) if start is None else check_whole_number("start", start, 0, n)
    if fresh and start == 0:
        raise ValueError("A model that has learnt nothing cannot predict: start must be 1 or more.")
    school = _School(model, X, y, fresh)
    school.learn(start)
    guesses = []
    for first in range(start, n, batch):
        last = min(first + batch, n)
        guesses.append(np.asarray(model.predict(_safe_indexing(X, np.arange(first, last)))))
        school.learn(last - delay)
    guess = np.concatenate(guesses) if guesses else y[:0]
    row = np.arange(min(start, n), n)
    lost = np.asarray(loss(y[row], guess), dtype=float)
    if lost.shape != row.shape:
        raise ValueError(f"The metric must return one loss for each of {len(row)} rows.")
    steps = school.steps
    return Prequential(
        row,
        y[row],
        guess,
        lost,
        name,
        np.array([step[0] for step in steps], dtype=np.intp),
        np.array([step[1] for step in steps], dtype=float),
        np.array([step[2] for step in steps], dtype=np.intp),
    )


class _School:
    """Teaches a model the rows of a stream in their order, and keeps the record."""

    def __init__(self, model: Any, X: Any, y: NDArray[Any], fresh: bool) -> None:
        self.model, self.X, self.y = model, X, y
        self.steps: list[tuple[int, float, int]] = []
        self._taught = 0
        # Classifiers such as scikit-learn's ask for all classes at their first call.
        self._more = {"classes": np.unique(y)} if fresh and is_classifier(model) else {}

    def learn(self, until: int) -> None:
        """Teach the rows before ``until`` that have not been taught."""
        if until <= self._taught:
            return
        rows = np.arange(self._taught, until)
        X, y = _safe_indexing(self.X, rows), self.y[rows]
        begin = perf_counter()
        self.model.partial_fit(X, y, **self._more)
        seconds = perf_counter() - begin
        self._more = {}
        path = getattr(self.model, "path_", None)
        self.steps.append((self._taught, seconds, -1 if path is None else path.n_events))
        self._taught = until


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _loss(metric: str | Loss | None, model: Any) -> tuple[str, Loss]:
    """Return the name of the loss and its function."""
    if callable(metric):
        return getattr(metric, "__name__", "loss"), metric
    if metric is None:
        metric = "zero_one" if is_classifier(model) else "squared"
    if metric not in LOSSES:
        raise ValueError(
            f"Unknown metric {metric!r}. Choose one of {', '.join(map(repr, LOSSES))}, or give a "
            "function of targets and predictions."
        )
    return metric, LOSSES[metric]
