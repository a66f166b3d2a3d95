"""How far the weight of each instance may move before anything changes: all at once.

A weight that moves alone is one direction in the space of all weights. All directions share the
margin system of the model, which is factored once; the residuals of a block of directions are one
matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.threads import one_blas_thread
from weightpath.estimators.row_names import names_of_training
from weightpath.problems.kind import SET_NAMES
from weightpath.problems.position import sort_out_equal_knots
from weightpath.regions.directions import Directions, Event
from weightpath.regions.parameters import ParametricProblem, checked_model
from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["WeightRanges", "weight_ranges"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# Numbers of a block of directions, for each of some arrays.
_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class WeightRanges:
    """How far each weight may fall and rise, alone, before any instance changes its set.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        The present sample weights.
    lower, upper : ndarray of shape (n,)
        The sample weights at which something changes first; zero and infinity where nothing does.
    lower_index, upper_index : ndarray of int, shape (n,)
        The instance that changes there; -1 where none does.
    lower_before, lower_after, upper_before, upper_after : ndarray of str, shape (n,)
        Its set between these weights and beyond: "outside", "margin" or "inside"; empty where none
        changes.
    names : ndarray or None
        The names of the training rows, if they had any.
    """

    weight: Reals
    lower: Reals
    upper: Reals
    lower_index: Index
    upper_index: Index
    lower_before: NDArray[np.str_]
    upper_before: NDArray[np.str_]
    lower_after: NDArray[np.str_]
    upper_after: NDArray[np.str_]
    names: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.weight.size

    def __repr__(self) -> str:
        free = int(((self.lower == 0.0) & np.isinf(self.upper)).sum())
        return f"<WeightRanges: {len(self)} instances, {free} of them without any influence>"

    def _repr_html_(self) -> str:
        with np.errstate(invalid="ignore"):
            width = np.median(self.upper - self.lower)
        return html_table("WeightRanges", [("instances", len(self)), ("median width", width)])

    def to_frame(self) -> DataFrame:
        """Return a :class:`pandas.DataFrame` with one row for each instance."""
        pd = pandas_for("WeightRanges.to_frame")
        table = {"weight": self.weight}
        for end in ("lower", "upper"):
            for name in (end, *(f"{end}_{what}" for what in _CHANGES)):
                table[name] = getattr(self, name)
        if self.names is None:
            return pd.DataFrame(table)
        return pd.DataFrame(table, index=pd.Index(self.names, name="instance"))


# What is known of each end, besides where it is.
_CHANGES = ("index", "before", "after")


@one_blas_thread
def weight_ranges(model: Any) -> WeightRanges:
    """Return how far the weight of each instance may move before anything changes.

    Every instance keeps its set, and the solution is affine in the weight, while one weight moves
    between its two limits and all others stay. The factors of ``class_weight`` stay, too.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted: a :class:`~weightpath.SVC` of two classes, :class:`~weightpath.SVR`,
        :class:`~weightpath.QuantileSVR` or :class:`~weightpath.OneClassSVM`, or a scikit-learn
        pipeline that ends in one.

    Returns
    -------
    WeightRanges

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(60, random_state=0)
    >>> model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y)
    >>> ranges = wp.weight_ranges(model)
    >>> i = int(np.argmin(ranges.upper))
    >>> w = np.ones(60)
    >>> w[i] = ranges.upper[i] + 0.1
    >>> event = model.path_to(sample_weight=w).events[0]
    >>> bool(event["index"] == ranges.upper_index[i])
    True
    """
    last, _ = checked_model(model, "weight_ranges")
    training = last.training_set_
    problem: Any = last.problem_
    n = len(training)
    factor = problem.weights(np.ones(n), training.labels)
    parameters = ParametricProblem.of(last, [np.ones(n)])
    subproblem = parameters.subproblem
    state = subproblem.state
    position = sort_out_equal_knots(subproblem.stair, state.position, state.residual)
    directions = Directions(parameters, position)
    weight = last.quantities_["weight"] / factor
    found: dict[int, list[Event]] = {-1: [], 1: []}
    size = max(1, _BLOCK // n)
    for begin in range(0, n, size):
        block = directions.block(np.arange(begin, min(begin + size, n)))
        for side, events in found.items():
            events.append(block.first_event(side))
    ends: dict[int, tuple[Any, ...]] = {}
    for side, events in found.items():
        length, row, after = (np.concatenate(part) for part in zip(*events, strict=True))
        if side < 0:
            none = length >= weight
            length, row = np.where(none, weight, length), np.where(none, -1, row)
        ends[side] = length, *_words(parameters, position, row, after)
    (fall, *below), (rise, *above) = ends[-1], ends[1]
    return WeightRanges(
        weight=weight,
        lower=np.maximum(weight - fall, 0.0),
        upper=weight + rise,
        **{f"lower_{name}": own for name, own in zip(_CHANGES, below, strict=True)},
        **{f"upper_{name}": own for name, own in zip(_CHANGES, above, strict=True)},
        names=names_of_training(training),
    )


def _words(
    parameters: ParametricProblem, position: Any, row: Index, after: Any
) -> tuple[Index, NDArray[np.str_], NDArray[np.str_]]:
    """Return the instances that change, and their sets before and after."""
    subproblem = parameters.subproblem
    known = row >= 0
    before_words = np.full(row.size, "", dtype=SET_NAMES.dtype)
    after_words = before_words.copy()
    before_words[known] = subproblem.reading.words(position[row[known]], row[known])
    after_words[known] = subproblem.reading.words(after[known], row[known])
    return np.where(known, subproblem.rows[row], -1), before_words, after_words
