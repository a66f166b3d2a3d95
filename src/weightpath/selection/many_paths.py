"""Many exact paths from where one model is, of which mostly the ends are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline

from weightpath.engine import COMPLETE, STOPPED_AT_CAP, STOPPED_ON_REQUEST
from weightpath.engine.branch_goals import BranchEnds, Outcome
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.pipelines import last_and_preparation
from weightpath.estimators.problem import Fitted
from weightpath.estimators.user_warnings import warn_event_cap
from weightpath.frozen import quick_init
from weightpath.path import Preparation, SolutionPath
from weightpath.selection.kernel_branches import (
    Changes,
    ModelBranches,
    Settings,
    where_is,
)
from weightpath.selection.many_arrivals import arrival_blocks
from weightpath.selection.many_changes import changes_from
from weightpath.selection.moved_rows import MovedRows
from weightpath.selection.raw_rows import check_raw_rows, prepared_rows
from weightpath.selection.recorded_paths import RecordedPaths
from weightpath.selection.stop_rules import StopAt, StopRule, watch_of
from weightpath.small_tables import html_table

__all__ = ["ManyPaths", "follow_many"]

Reals = NDArray[np.float64]

_STATUS = {
    Outcome.ARRIVED: COMPLETE,
    Outcome.STOPPED: STOPPED_ON_REQUEST,
    Outcome.CAPPED: STOPPED_AT_CAP,
}

# The outcome of a path that has arrived, as it is held.
_ARRIVED = bytes([Outcome.ARRIVED])


@quick_init
@dataclass(frozen=True, eq=False, repr=False)
class ManyPaths:
    """The ends of many paths from one model.

    With more than two classes there is one function for each pair, and arrays have an axis for
    them: ``n_pairs`` below.

    Attributes
    ----------
    theta : ndarray of shape (k,)
        Where each path ended: 1 unless it was stopped.
    status : tuple of str
        How it ended: "complete", "stopped on request" (by the rule ``stop``) or "stopped at the
        event cap".
    n_events : ndarray of int of shape (k,)
        The events on it.
    intercept : ndarray of shape (k,) or (k, n_pairs)
        The intercepts at the ends.
    decision_values : ndarray of shape (k, m) or (k, m, n_pairs), or None
        The decision values (of a regression, the predictions) of the models at the ends, at the
        rows ``X`` that were given; ``None`` without them.
    """

    theta: Reals
    status: tuple[str, ...]
    n_events: NDArray[np.intp]
    intercept: Reals
    decision_values: Reals | None
    _moved: tuple[MovedRows, ...] = field(repr=False)
    # Of each function the rows of its subproblem, and their coefficients before.
    _before: tuple[tuple[NDArray[np.intp], Reals], ...] = field(repr=False)
    _paths: tuple[SolutionPath, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.theta)

    def _on_raw_rows(self, preparation: Preparation) -> ManyPaths:
        """Return the same with paths that take raw rows."""
        if self._paths is None:
            return self
        return replace(self, _paths=tuple(path.prepared_by(preparation) for path in self._paths))

    def __repr__(self) -> str:
        return f"<ManyPaths: {len(self)} paths, {self.n_events.sum()} events, {self._how()}>"

    def _repr_html_(self) -> str:
        return html_table(
            "Many paths",
            [
                ("paths", len(self)),
                ("events", int(self.n_events.sum())),
                ("status", self._how()),
                ("recorded", "yes" if self._paths is not None else "no"),
            ],
        )

    def _how(self) -> str:
        words = [word for word in _STATUS.values() if word in self.status]
        if len(words) <= 1:
            return f"all {words[0]}" if words else "none"
        return ", ".join(f"{self.status.count(word)} {word}" for word in words)

    def __getitem__(self, k: int) -> SolutionPath:
        """Return path ``k``, if it was recorded."""
        if self._paths is None:
            raise TypeError(
                "These paths were not recorded, only their ends: use follow_many(..., record=True)."
            )
        return self._paths[k]

    @cached_property
    def changes(self) -> tuple[csr_array, ...]:
        """What was added to the model's coefficients on each path, for each function.

        Arrays of shape (k, n), mostly with few entries. Where a row is added on each path, it is
        the last.
        """
        return tuple(one.array() for one in self._moved)

    @cached_property
    def dual_coef(self) -> Reals:
        """The signed coefficients at the ends, of shape (k, n) or (k, n_pairs, n).

        A dense array, made when it is first read; ``changes`` has the same in few numbers.
        """
        coef = np.stack([change.toarray() for change in self.changes], axis=1)
        coef += _coefficients(self._before, coef.shape[-1])
        coef = coef[:, 0] if len(self.changes) == 1 else coef
        coef.setflags(write=False)
        return coef


def follow_many(
    model: PathEstimator | Pipeline,
    sample_weight: Any = None,
    *,
    y: Any = None,
    X_new: Any = None,
    y_new: ArrayLike | None = None,
    X: Any = None,
    stop: StopAt | StopRule | None = None,
    record: bool = False,
    n_jobs: int | None = None,
) -> ManyPaths:
    """Follow many exact paths, all from where the model is. The model does not move.

    Each path ends at a solution that a ``reweight``, ``move`` or ``add`` of a copy of the model
    would reach, to rounding. What they share is set up once: a path costs little more than its own
    events, and every end is verified.

    Parameters
    ----------
    model : SVC, SVR, QuantileSVR, OneClassSVM or Pipeline
        A fitted model, wherever it has moved to, or a scikit-learn pipeline whose last step is one:
        then ``X_new``, ``X`` and recorded paths have raw rows. It is left as it is.
    sample_weight : array-like of shape (k, n_samples), sparse array or None, default=None
        The weights at the end of each path; or, as a sparse array, the *changes* of the weights.
    y : array-like of shape (k, n_samples), sparse array or None, default=None
        The targets at the end of each path, or their changes; for regressors. It may be given
        together with ``sample_weight``.
    X_new : array-like or sparse matrix of shape (k, n_features) or None, default=None
        One row to add on each path, with weight one; for a precomputed kernel its values with all
        training instances and with itself, ``n_samples + 1`` columns. Not together with the above.
    y_new : array-like of shape (k,) or None, default=None
        The labels or targets of the new rows; not used where a fit uses none.
    X : array-like or sparse matrix of shape (m, n_features) or None, default=None
        Rows at which the decision values of the models at the ends are wanted.
    stop : StopAt, callable or None, default=None
        A rule that ends a path early, at one of its events: a :class:`~weightpath.StopAt`, or a
        function ``stop(theta, dual_coef, intercept)`` that is asked at the start and after every
        event and answers whether to stop there. For models with one function (two classes).
    record : bool, default=False
        Whether to keep each path as a :class:`~weightpath.SolutionPath`, ``many[k]``. It costs as
        much as following them one by one.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them; another backend of joblib may be chosen by
        :class:`joblib.parallel_config`. The result does not depend on it.

    Returns
    -------
    ManyPaths
        Where the paths ended.

    See Also
    --------
    leave_one_out : Every instance left out once.

    Notes
    -----
    Where the numbers of a path do not suffice to verify its end, or weights change over orders of
    magnitude, it is followed again as ``reweight`` does. A path that cannot be followed raises
    what ``reweight`` would raise, with the number of the path in a note.

    Examples
    --------
    Each of eighty weights is doubled once:

    >>> import numpy as np
    >>> from scipy.sparse import eye
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> many = wp.follow_many(model, eye(80), X=toy.X)
    >>> many.decision_values.shape
    (80, 80)
    >>> path = model.reweight(1.0 + (np.arange(80) == 3))
    >>> bool(abs(model.decision_function(toy.X) - many.decision_values[3]).max() < 1e-10)
    True
    """
    model, preparation = last_and_preparation(model)
    where = _kernel_machine(model)
    _check_given(where, sample_weight, y, X_new, stop)
    points = None if X is None else check_raw_rows(model, preparation, X)
    X_new = prepared_rows(preparation, X_new)
    walk = _Walk(model, Settings.of(model, n_jobs), points, record, n_jobs)
    if X_new is None:
        lots = [walk.follow(where, changes_from(where, sample_weight, y), stop)]
    else:
        if points is not None and where.training.is_precomputed:
            raise ValueError("With a precomputed kernel, X cannot be given together with X_new.")
        lots, count, done = [], int(np.shape(X_new)[0]), 0
        for block in arrival_blocks(model, where, X_new, y_new, alone=record):
            rule = _part_of(stop, count, done, len(block.changes))
            lots.append(walk.follow(block.where, block.changes, rule, block.own))
            done += len(block.changes)
    many = _gathered(lots, where, points is not None)
    return many if preparation is None else many._on_raw_rows(preparation)


class _Lot(NamedTuple):
    """Some paths that were followed together."""

    theta: Reals
    status: tuple[str, ...]
    n_capped: int
    n_events: NDArray[np.intp]
    intercept: Reals
    values: Reals | None
    moved: list[MovedRows]
    paths: list[SolutionPath]


class _Walk(NamedTuple):
    """What is the same for all paths that were asked for."""

    model: PathEstimator
    settings: Settings
    points: Any
    record: bool
    n_jobs: int | None

    def follow(
        self,
        where: Fitted,
        changes: Changes,
        stop: StopAt | StopRule | None,
        own: NDArray[np.intp] | None = None,
    ) -> _Lot:
        """Follow some paths; ``own`` is the row of each that is there on no other."""
        n = len(where.training) if own is None else int(own[0])
        watch = None if stop is None else watch_of(stop, len(changes), n, own)
        if self.record:
            paths = RecordedPaths(self.model, where, self.settings, self.points)
            return _recorded_lot(where, paths.follow(changes, self.n_jobs, watch))
        absent = None if own is None else np.arange(len(where.training)) >= n
        branches = ModelBranches(where, self.settings, absent)
        return self._ends(branches, branches.follow(changes, self.n_jobs, watch), n)

    def _ends(self, branches: ModelBranches, ends: list[BranchEnds], n: int) -> _Lot:
        """Return the ends of paths on ``n`` instances and, perhaps, one more on each."""
        total = len(branches.training)
        bias = ends[0].bias[:, None]
        if len(ends) > 1:
            bias = np.column_stack([one.bias for one in ends])
        parts = zip(ends, branches.subproblems, strict=True)
        moved = [MovedRows.of(one, subproblem.rows, total) for one, subproblem in parts]
        values = None
        if self.points is not None:
            before, change = branches.values(self.points), [one.array() for one in moved]
            values = branches.values_after(self.points, before, change, bias)
        if total > n:
            # Of all new rows the one of the path becomes the last.
            moved = [one.with_last(n) for one in moved]
        return _native_lot(ends, bias, values, moved)


def _native_lot(
    ends: list[BranchEnds], bias: Reals, values: Reals | None, moved: list[MovedRows]
) -> _Lot:
    """Return the ends of paths of which nothing else was kept."""
    outcome, theta, n_events = ends[0].outcome, ends[0].theta, ends[0].n_events
    if len(ends) > 1:
        outcome = np.max([one.outcome for one in ends], axis=0)
        theta = np.min([one.theta for one in ends], axis=0)
        n_events = np.sum([one.n_events for one in ends], axis=0)
    status, n_capped = _words(outcome)
    return _Lot(theta, status, n_capped, n_events, bias, values, moved, [])


def _words(outcome: NDArray[np.int8]) -> tuple[tuple[str, ...], int]:
    """Return how each path ended, in words, and how many at the event cap."""
    if outcome.tobytes().count(_ARRIVED) == outcome.size:
        return (COMPLETE,) * outcome.size, 0
    words = {int(number): word for number, word in _STATUS.items()}
    numbers = outcome.tolist()
    return tuple(words[number] for number in numbers), numbers.count(Outcome.CAPPED)


def _recorded_lot(where: Fitted, recorded: Sequence[Any]) -> _Lot:
    """Return the ends of recorded paths."""
    coef = _coefficients(_before(where), len(where.training))
    change = np.array([one.coef for one in recorded]).reshape(-1, *coef.shape) - coef
    values = [one.values for one in recorded]
    return _Lot(
        np.array([one.theta for one in recorded]),
        tuple(one.status for one in recorded),
        sum(one.status == STOPPED_AT_CAP for one in recorded),
        np.array([one.path.n_events for one in recorded], dtype=np.intp),
        np.array([one.intercept for one in recorded]).reshape(-1, len(coef)),
        np.array(values) if values and values[0] is not None else None,
        [MovedRows.of_array(csr_array(change[:, s])) for s in range(len(coef))],
        [one.path for one in recorded],
    )


def _gathered(lots: list[_Lot], where: Fitted, has_values: bool) -> ManyPaths:
    """Return all paths, in the order in which they were asked for."""
    status = lots[0].status
    if len(lots) > 1:
        status = tuple(chain.from_iterable(lot.status for lot in lots))
    count = sum(lot.n_capped for lot in lots)
    if count:
        warn_event_cap(f"{count} of {len(status)} paths: {STOPPED_AT_CAP.message}")
    single = len(where.subproblems) == 1
    intercept = _joined([lot.intercept for lot in lots])
    values = None
    if has_values:
        values = _joined([lot.values for lot in lots if lot.values is not None])
        values = values[:, :, 0] if single else values
    paths = tuple(path for lot in lots for path in lot.paths)
    parts = zip(*(lot.moved for lot in lots), strict=True)
    moved = tuple(MovedRows.joined(own) for own in parts)
    return ManyPaths(
        _joined([lot.theta for lot in lots]),
        status,
        _joined([lot.n_events for lot in lots]),
        intercept[:, 0] if single else intercept,
        values,
        moved,
        _before(where),
        paths or None,
    )


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the numbers of several lots, one lot after the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _before(where: Fitted) -> tuple[tuple[NDArray[np.intp], Reals], ...]:
    """Return the rows of each subproblem of a model and their coefficients."""
    return tuple((subproblem.rows, subproblem.state.beta) for subproblem in where.subproblems)


def _coefficients(before: tuple[tuple[NDArray[np.intp], Reals], ...], n: int) -> Reals:
    """Return the coefficients of all functions of a model, zero for rows that it does not have."""
    coef = np.zeros((len(before), n))
    for own, (rows, beta) in zip(coef, before, strict=True):
        own[rows] = beta
    return coef


def _kernel_machine(model: Any) -> Fitted:
    """Return where a model is, if its instances have coefficients."""
    if not isinstance(model, PathEstimator):
        raise TypeError(
            "model must be a fitted estimator of weightpath (SVC, SVR, QuantileSVR or "
            f"OneClassSVM), got {type(model).__name__}."
        )
    where = where_is(model)
    if where.subproblems[0].reading.meaning.rows_are != "instances":
        raise TypeError(f"Many paths of a {type(model).__name__} cannot be followed at once.")
    return where


def _check_given(where: Fitted, sample_weight: Any, y: Any, X_new: Any, stop: Any) -> None:
    """Raise unless what was given makes sense together."""
    moves = sample_weight is not None or y is not None
    if moves == (X_new is not None):
        raise TypeError("Give sample_weight or y (or both), or X_new.")
    if stop is not None and len(where.subproblems) > 1:
        raise ValueError("A rule to stop is for models with one function: not several classes.")


def _part_of(
    stop: StopAt | StopRule | None, k: int, first: int, count: int
) -> StopAt | StopRule | None:
    """Return the rule for some of ``k`` paths."""
    if isinstance(stop, StopAt) and np.ndim(stop.index):
        index = np.asarray(stop.index)
        if index.shape == (k,):
            return StopAt(index[first : first + count], stop.where)
    return stop
