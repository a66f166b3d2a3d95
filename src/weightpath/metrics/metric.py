"""What a metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import DecisionPath
from weightpath.curves.isolated import StandingPath
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.plane import PlaneForm
from weightpath.metrics.validation import ValidationRows

__all__ = ["Metric", "MissingOptionError", "Option"]


class MissingOptionError(ValueError):
    """A metric was asked for without an option that it needs.

    Parameters
    ----------
    metric, option : str
        Their names.
    reason : str
        What the option is, or why its value is not known.
    """

    def __init__(self, metric: str, option: str, reason: str):
        super().__init__(f"The metric {metric!r} needs {option}=, {reason}")
        self.metric, self.option, self.reason = metric, option, reason

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker process sends its error, whose message may have got the name of a fold.
        return type(self), (self.metric, self.option, self.reason), {"args": self.args}


def _as_given(value: Any, rows: ValidationRows, metric: str) -> Any:
    return value


@dataclass(frozen=True, eq=False)
class Option:
    """An option of a metric, such as ``k`` or ``cost_matrix``.

    Parameters
    ----------
    name : str
        What it is called where the metric is asked for, ``path.curve(X, y, metric, name=value)``.
    meaning : str
        A short sentence for help pages.
    check : callable, default: every value is taken as it is
        ``check(value, rows, metric)`` returns what the metric gets, or raises a ValueError. The
        value is None if none was given; ``metric`` is the name of the metric, for the message.
    per_row : bool, default=False
        Whether the value has one entry for each row, so that it is split into folds with them.
    read : callable or None, default=None
        From a word of the command line to a value. None if the option does not exist there, or
        (with ``per_row``) names a column.
    """

    name: str
    meaning: str
    check: Callable[[Any, ValidationRows, str], Any] = _as_given
    per_row: bool = False
    read: Callable[[str], Any] | None = None


class Metric(ABC):
    """A number that says how good decision values are on validation rows.

    A subclass sets ``name``, defines by :meth:`suits` where it applies, and by :meth:`along` how it
    is traced along a path. One that depends on predicted classes only is a
    :class:`~weightpath.metrics.ConfusionMetric`, or comes from
    :func:`~weightpath.metrics.of_confusion`, and needs neither.

    Attributes
    ----------
    name : str
        The name by which it is found.
    label : str
        For the axis of a plot; the name if there is none.
    greater_is_better : bool
        Whether it is a score rather than a loss.
    options : tuple of Option
        What it takes besides rows, labels and sample weights.

    See Also
    --------
    weightpath.metrics.HingeMetric : sums of hinges of decision values.
    """

    name: str = ""
    label: str = ""
    greater_is_better: bool = False
    options: tuple[Option, ...] = ()

    @abstractmethod
    def suits(self, outputs: Outputs) -> bool:
        """Return whether the metric is defined for what these decision values stand for."""

    @abstractmethod
    def along(self, path: DecisionPath, rows: ValidationRows, *args: Any, **options: Any) -> Curve:
        """Return the metric as a function of theta.

        Parameters
        ----------
        path : DecisionPath
            Its ``theta`` and its ``iter_segments(rows.X)``, which yields the decision values as
            linear functions, are all that may be used.
        rows : ValidationRows
            Rows, labels and weights, checked.
        *args
            Nothing; with it, type checkers let a subclass name its options.
        **options
            Every one of :attr:`options` by name, checked.

        Returns
        -------
        Curve
            On ``[path.theta[0], path.theta[-1]]``. Name and direction are added to it.
        """

    def at(
        self, values: NDArray[np.float64], rows: ValidationRows, *args: Any, **options: Any
    ) -> float:
        """Return the metric at given decision values.

        Parameters
        ----------
        values : ndarray of shape (n_rows,) or (n_rows, n_functions)
            Decision values of the rows.
        rows, **options
            As for :meth:`along`.

        Returns
        -------
        float
            By default the value of the curve on a path along which nothing moves.
        """
        standing = StandingPath(lambda X: values[X[:, 0].astype(np.intp)])
        return float(self.along(standing, rows.numbered(), **options).values[0])

    def in_plane(self, rows: ValidationRows, *args: Any, **options: Any) -> PlaneForm:
        """Return the metric as a function of decision values that depend on two numbers.

        Parameters
        ----------
        rows, **options
            As for :meth:`along`.

        Returns
        -------
        PlaneCounts, PlaneOrder, PlaneHinges or PlaneSquares
            Its form as a loss; see :mod:`weightpath.metrics.plane`. By default an error: how a
            metric behaves along a path does not tell how it does in a plane.
        """
        raise ValueError(
            f"The metric {self.name!r} is exact along a path, but not known over a plane. There, a "
            "metric must be a function of the confusion matrix (ConfusionMetric, of_confusion), a "
            "sum of hinges (HingeMetric), or define in_plane itself."
        )

    def __repr__(self) -> str:
        return f"<metric {self.name!r}>"
