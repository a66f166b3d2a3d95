"""The exact solution as a function of theta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.frozen import freeze, freeze_all, frozen_view, quick_init
from weightpath.kernels import Kernel
from weightpath.late_rows import postpone_rows, shape_of_rows
from weightpath.path.event_table import event_table
from weightpath.path.given import check_scalar, check_theta, raw_names_of
from weightpath.path.late_params import LateParams
from weightpath.path.part import PathPart, Side
from weightpath.path.preparation import Preparation
from weightpath.path.segment_table import margin_sizes, segment_table
from weightpath.path.several_parts import iter_segments, values_of_parts
from weightpath.path.shown import Shown
from weightpath.path.solution import Solution, solution_of, total_objective
from weightpath.path.summary import summary, summary_table
from weightpath.record.status import COMPLETE

if TYPE_CHECKING:
    from pandas import DataFrame
    from sklearn.pipeline import Pipeline

    from weightpath.curves import Curve
    from weightpath.estimators.base import PathEstimator
    from weightpath.metrics import Metric
    from weightpath.path.model_maker import ModelMaker

__all__ = ["SolutionPath"]

Reals = NDArray[np.float64]


@quick_init
@dataclass(frozen=True, eq=False, repr=False)
class SolutionPath(LateParams, Shown):
    """All solutions between two weightings, exactly.

    Made by the ``reweight`` and ``move`` methods of the estimators. The solution is piecewise
    linear in theta, 0 at the start and 1 at the end; a path cannot be changed.

    Parameters
    ----------
    parts : sequence of PathPart
        The path of one subproblem, or of several that share theta (one-vs-one).
    X : array or CSR matrix of shape (n, n_features)
        Training rows; for a precomputed kernel its matrix. Read-only, because the model shares
        it.
    kernel : Kernel
    classes : ndarray or None
        The class labels of a classifier.
    pairs : sequence of (int, int) or None
        The two classes, as indices, of each subproblem of a one-vs-one path.
    params : dict
        What :func:`weightpath.estimators.rebuild` needs to make an estimator again. If it is not
        given, a template that has ``to_params`` tells it, when it is first read.
    status : Status or str
        How the path ended; a word with a ``message``.
    template : ModelMaker or None
        Makes models: ``template.model_from(path, theta)``. Without one it is rebuilt from
        ``params``.
    preparation : Preparation or None, default=None
        The transformers of a pipeline whose last step moved. All methods then take raw rows, and
        models are pipelines; ``X`` holds the training rows as the last step had them.
    """

    parts: Sequence[PathPart]
    X: Any
    kernel: Kernel
    classes: NDArray[Any] | None = None
    pairs: Sequence[tuple[int, int]] | None = None
    # Not a default of the class, where it would be found before it is made.
    params: dict[str, Any] = field(default_factory=dict)
    status: str = COMPLETE
    template: ModelMaker | None = None
    preparation: Preparation | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts:
            raise ValueError("A path needs at least one part.")
        if self.pairs is not None:
            pairs = tuple((int(a), int(b)) for a, b in self.pairs)
            if len(pairs) != len(self.parts):
                raise ValueError(f"{len(self.parts)} parts need as many pairs, not {len(pairs)}.")
            object.__setattr__(self, "pairs", pairs)
        postpone_rows(self)
        if "X" in self.__dict__ and getattr(getattr(self.X, "flags", None), "writeable", True):
            object.__setattr__(self, "X", frozen_view(self.X))
        if self.classes is not None and self.classes.flags.writeable:
            object.__setattr__(self, "classes", freeze(np.array(self.classes)))
        self._postpone_params()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays, and those of a deep copy, are writable.
        self.__dict__.update(state)
        freeze_all(self)

    def __len__(self) -> int:
        return self.theta.size - 1

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return summary_table(self)

    @property
    def n_rows(self) -> int:
        """The number of rows of the problem: training rows, pairs of them, or features."""
        evaluation = self.parts[0].evaluation
        return shape_of_rows(self)[0] if evaluation is None else evaluation.count(self.X)

    @property
    def is_single(self) -> bool:
        """Whether there is one subproblem, so that solutions have no axis over subproblems."""
        return self.pairs is None and len(self.parts) == 1

    @property
    def feature_names_in_(self) -> NDArray[np.str_]:
        """The names of the (raw) columns; only if the training rows were a data frame."""
        return raw_names_of(self)

    @property
    def on_prepared_rows(self) -> SolutionPath:
        """The same path for rows that the transformers of its pipeline have seen already."""
        return self if self.preparation is None else self.prepared_by(None)

    def prepared_by(self, preparation: Preparation | None) -> SolutionPath:
        """Return the same path for rows that go through a preparation first."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, preparation=preparation)
        return other

    @cached_property
    def theta(self) -> Reals:
        """The breakpoints of all subproblems: distinct, increasing, from 0 to the end."""
        edges = [part.record.theta for part in self.parts]
        theta: Reals = np.unique(np.concatenate(edges))
        theta = theta[theta <= min(own[-1] for own in edges)]
        theta.setflags(write=False)
        return theta

    @property
    def n_events(self) -> int:
        """The number of set changes."""
        return self.events.size

    @cached_property
    def events(self) -> NDArray[np.void]:
        """Every set change, including several at one theta, as a structured array.

        Fields ``theta``, ``index`` (training row), ``from`` and ``to`` ("outside", "margin" or
        "inside"), and with several subproblems ``part``, the number of the subproblem.
        ``pandas.DataFrame(path.events)`` is a table.
        """
        return event_table(self)

    def margin_size(self) -> tuple[Reals, NDArray[np.int64]]:
        """Return the breakpoints, and the size of the margin (of all subproblems) between them."""
        return self.theta, margin_sizes(self)

    @cached_property
    def isolated_theta(self) -> Reals:
        """The theta at which the solution differs from its limits from the left and the right.

        There the bias is not unique, and the solution has the middle of its interval, as a model
        does. Increasing, mostly empty.
        """
        theta = np.concatenate([part.isolated_theta for part in self.parts])
        isolated: Reals = np.unique(theta[theta <= self.theta[-1]])
        isolated.setflags(write=False)
        return isolated

    def at(self, theta: float, side: Side | None = None) -> Solution:
        """Return the exact solution at ``theta``.

        Parameters
        ----------
        theta : float
            Between 0 and 1.
        side : {"left", "right"} or None, default=None
            At a breakpoint where the bias jumps the solution is the middle of its interval, as in
            a model there; "left" and "right" give the limits.

        Returns
        -------
        Solution
        """
        theta = check_scalar(self, theta)
        if side not in (None, "left", "right"):
            raise ValueError(f'side must be "left", "right" or None; got {side!r}.')
        return solution_of(self, theta, side)

    def decision_function(self, X: Any, theta: ArrayLike) -> Reals:
        """Return the exact decision values at ``theta``, as the model there has them.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_points, n_features)
            For a precomputed kernel its values between points and training rows. Raw rows where
            the path is that of a pipeline.
        theta : float or array of shape (n_theta,)

        Returns
        -------
        ndarray of shape (n_points,), (n_points, n_classes) or (n_points, n_pairs)
            The last two for three classes or more, by the ``decision_function_shape`` of the model;
            of a regression, the predictions. An array of theta adds a leading axis.
        """
        from weightpath.metrics import outputs_of_path

        return outputs_of_path(self).decision_values(self.subproblem_values(X, theta))

    def predict(self, X: Any, theta: ArrayLike) -> NDArray[Any]:
        """Return the predictions of the model at ``theta``.

        Parameters
        ----------
        X, theta
            As for :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_points,), or (n_theta, n_points) for an array of theta
            Class labels, values, scores of ranked rows, or 1 (inlier) and -1 (outlier).
        """
        from weightpath.metrics import outputs_of_path

        return outputs_of_path(self).predictions(self.subproblem_values(X, theta))

    def subproblem_values(self, X: Any, theta: ArrayLike) -> Reals:
        """Return the values of the functions of all subproblems, with a last axis for several.

        For three classes or more these are the functions of pairs of classes, ``path.pairs``: a
        positive value is a vote for the first of the pair. ``X`` and ``theta`` are as for
        :meth:`decision_function`.
        """
        return values_of_parts(self, X, theta)

    def iter_segments(
        self, X: Any, block_mb: float = 64.0, part: int = 0
    ) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
        """Yield the decision values of one subproblem as linear functions, in blocks of segments.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_points, n_features)
        block_mb : float, default=64.0
            How much memory the values of one block may take.
        part : int, default=0
            The number of the subproblem.

        Yields
        ------
        left, right : ndarray of shape (s,)
            The ends of consecutive segments.
        value, slope : ndarray of shape (s, n_points)
            Decision values at the left ends, and their change per unit of theta.
        """
        return iter_segments(self, X, block_mb, part)

    def kkt_violation(self, theta: ArrayLike | None = None, relative: bool = True) -> float:
        """Return how far the path is from optimal, computed afresh from the data.

        Parameters
        ----------
        theta : float, array of shape (n_theta,) or None, default=None
            Where; for several theta the largest is returned. ``None`` for the largest over all
            breakpoints (from both sides) and the middles of all segments.
        relative : bool, default=True
            Relative to the largest target or level; otherwise in the units of the target.

        Returns
        -------
        float
            The largest distance of any instance from its optimality condition. See
            :func:`weightpath.path.certificate.kkt_violation`, and :meth:`rounding_floor` for what
            rounding alone can do.
        """
        if theta is None:
            return float(np.max([part.largest_kkt_violation(relative) for part in self.parts]))
        places = np.atleast_1d(check_theta(self, theta))
        return float(np.max([part.kkt_violations(places, relative) for part in self.parts]))

    def rounding_floor(self, theta: float, relative: bool = True) -> float:
        """Return what the rounding of kernel sums alone can do to the residuals at ``theta``.

        Nothing is subtracted from :meth:`kkt_violation`; a violation below this floor is the limit
        of double precision.

        It is 64 machine epsilons times the largest sum of absolute terms, with ``relative`` as
        there.
        """
        theta = check_scalar(self, theta)
        return float(max(part.rounding_floor(theta, relative) for part in self.parts))

    def duality_gap(self, theta: float, relative: bool = False) -> float:
        """Return the duality gap at ``theta``, computed from the data; the sum over subproblems.

        With ``relative=True`` it is divided by the objective. Where a residual has passed a
        finite outer level (the penalty of a lasso) by more than rounding, the gap is infinite.
        """
        theta = check_scalar(self, theta)
        gap = sum(part.duality_gap(theta) for part in self.parts)
        value = abs(total_objective(self.parts, theta)) if relative else 0.0
        return gap / value if value > 0 else gap

    def curve(
        self,
        X: Any,
        y: ArrayLike,
        metric: str | Metric,
        sample_weight: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        k: int | None = None,
        **options: Any,
    ) -> Curve:
        """Return an exact metric on ``X``, ``y`` as a function of theta.

        See :func:`weightpath.metrics.trace_curve`, also for the ``options`` of metrics.
        """
        from weightpath.metrics import trace_curve

        return trace_curve(self, X, y, metric, sample_weight=sample_weight, qid=qid, k=k, **options)

    def model_at(self, theta: float) -> PathEstimator | Pipeline:
        """Return a fitted estimator at ``theta``, independent of this path.

        Where the path is that of a pipeline, a fitted pipeline with the same transformers.
        """
        theta, template = check_scalar(self, theta), self.template
        if template is None:
            from weightpath.estimators import rebuild

            template = rebuild(self.params)
        model: PathEstimator = template.model_from(self, theta)
        return model if self.preparation is None else self.preparation.pipeline_of(model)

    def to_frame(self) -> DataFrame:
        """Return the segments as a :class:`pandas.DataFrame`, one row for each.

        Returns
        -------
        DataFrame
            Columns ``left`` and ``right`` (theta), ``events`` (set changes at the left end) and the
            sizes of the sets ``outside``, ``margin`` and ``inside``, over all subproblems.
        """
        return segment_table(self)

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write the path to ``file``, without pickle; ``weightpath.load`` reads it.

        An existing file is replaced only when the new one is complete. The transformers of a
        pipeline are written by skops (the extra ``weightpath[skops]``).
        """
        from weightpath.path.storage import save

        save(self, file)
