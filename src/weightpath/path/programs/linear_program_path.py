"""The exact solution of a linear program machine as a function of theta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.frozen import freeze, freeze_all, frozen_view
from weightpath.kernels import Kernel
from weightpath.path.given import check_scalar, check_theta, raw_names_of
from weightpath.path.late_params import LateParams
from weightpath.path.preparation import Preparation
from weightpath.path.programs.part import ProgramPart, Side
from weightpath.path.programs.solution import ProgramSolution, solution_of
from weightpath.path.programs.tables import event_table, segment_table, summary, summary_table
from weightpath.path.several_parts import iter_segments, values_of_parts
from weightpath.record.status import COMPLETE

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.curves import Curve
    from weightpath.metrics import Metric
    from weightpath.page import PageView
    from weightpath.path.model_maker import ModelMaker
    from weightpath.plotting import PathDisplay

__all__ = ["LinearProgramPath"]

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LinearProgramPath(LateParams):
    """All solutions of a linear program machine between two weightings, exactly.

    Made by ``reweight``, ``move`` and ``path_to`` of :class:`~weightpath.L1SVC` and
    :class:`~weightpath.L1SVR`; it has the methods of a :class:`~weightpath.SolutionPath`. While
    weights move the model is a *step function* of theta: it stays at a vertex of its linear program
    and jumps to a neighbour at a breakpoint, where everything between the two is optimal. Between
    targets or tubes that move it is piecewise linear. A path cannot be changed.

    Parameters
    ----------
    parts : sequence of ProgramPart
        The path of one program, or of several that share theta (one-vs-one).
    X : array or CSR matrix of shape (n, n_features)
        Training rows; for a precomputed kernel its matrix.
    kernel : Kernel
        Columns are features where it is linear, and kernels of the training rows otherwise.
    classes : ndarray or None
        The class labels of a classifier.
    pairs : sequence of (int, int) or None
        The two classes, as indices, of each program of a one-vs-one path.
    params : dict
        What makes an estimator again.
    status : Status or str
        How the path ended.
    template : ModelMaker or None
        Makes models.
    preparation : Preparation or None, default=None
        The transformers of a pipeline whose last step moved.
    """

    parts: Sequence[ProgramPart]
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
        if self.pairs is not None:
            object.__setattr__(self, "pairs", tuple((int(a), int(b)) for a, b in self.pairs))
        if getattr(getattr(self.X, "flags", None), "writeable", True):
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
        """The number of training rows."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of coefficients: one for each feature or, with a kernel, training row."""
        return int(self.X.shape[1] if self.kernel.name == "linear" else self.X.shape[0])

    @property
    def is_single(self) -> bool:
        """Whether there is one program, so that solutions have no axis over programs."""
        return self.pairs is None and len(self.parts) == 1

    @property
    def feature_names_in_(self) -> NDArray[np.str_]:
        """The names of the (raw) columns; only if the training rows were a data frame."""
        return raw_names_of(self)

    @property
    def on_prepared_rows(self) -> LinearProgramPath:
        """The same path for rows that the transformers of its pipeline have seen already."""
        return self if self.preparation is None else self.prepared_by(None)

    def prepared_by(self, preparation: Preparation | None) -> LinearProgramPath:
        """Return the same path for rows that go through a preparation first."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, preparation=preparation)
        return other

    @cached_property
    def theta(self) -> Reals:
        """The breakpoints of all programs: distinct, increasing, from 0 to the end."""
        edges = [part.theta for part in self.parts]
        theta: Reals = np.unique(np.concatenate(edges))
        theta = theta[theta <= min(own[-1] for own in edges)]
        theta.setflags(write=False)
        return theta

    @property
    def n_events(self) -> int:
        """The number of changes of a basis."""
        return self.events.size

    @cached_property
    def events(self) -> NDArray[np.void]:
        """Every change of a basis, including several at one theta, as a structured array.

        Fields ``theta``, ``index``, ``from`` and ``to``, and ``of``: for an "instance" (a training
        row) the sets "outside", "margin" and "inside"; for a "coefficient" (of a feature or of the
        kernel of a training row) "negative", "zero" and "positive". With several programs also
        ``part``, the number of the program.
        """
        return event_table(self)

    @cached_property
    def isolated_theta(self) -> Reals:
        """The breakpoints at which the model jumps, and is the middle of both sides."""
        theta = np.concatenate([part.isolated_theta for part in self.parts])
        isolated: Reals = np.unique(theta[(theta > 0.0) & (theta < self.theta[-1])])
        isolated.setflags(write=False)
        return isolated

    def at(self, theta: float, side: Side | None = None) -> ProgramSolution:
        """Return the exact solution at ``theta``.

        Parameters
        ----------
        theta : float
            Between 0 and 1.
        side : {"left", "right"} or None, default=None
            At a breakpoint the solution is not unique, and this is the middle of the vertices on
            both sides; "left" and "right" give each.

        Returns
        -------
        ProgramSolution
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
            An array of theta adds a leading axis.
        """
        from weightpath.metrics import outputs_of_path

        return outputs_of_path(self).decision_values(self.subproblem_values(X, theta))

    def predict(self, X: Any, theta: ArrayLike) -> NDArray[Any]:
        """Return the predictions of the model at ``theta``: class labels or values.

        Parameters
        ----------
        X, theta
            As for :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_points,), or (n_theta, n_points) for an array of theta
        """
        from weightpath.metrics import outputs_of_path

        return outputs_of_path(self).predictions(self.subproblem_values(X, theta))

    def subproblem_values(self, X: Any, theta: ArrayLike) -> Reals:
        """Return the values of the functions of all programs, with a last axis for several."""
        return values_of_parts(self, X, theta)

    def iter_segments(
        self, X: Any, block_mb: float = 64.0, part: int = 0
    ) -> Iterator[tuple[Reals, Reals, Reals, Reals]]:
        """Yield the decision values of one program as linear functions, in blocks of segments.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_points, n_features)
        block_mb : float, default=64.0
            How much memory the values of one block may take.
        part : int, default=0
            The number of the program.

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
            Relative to the largest target or level, and to the penalty of a coefficient; otherwise
            in the units of the target.

        Returns
        -------
        float
            The largest distance of any row or coefficient from its optimality condition. See
            :mod:`weightpath.path.programs.certificate`.
        """
        if theta is None:
            return float(np.max([part.largest_kkt_violation(relative) for part in self.parts]))
        places = np.atleast_1d(check_theta(self, theta))
        found = [part.kkt_violation(float(at), relative) for part in self.parts for at in places]
        return float(np.max(found))

    def rounding_floor(self, theta: float, relative: bool = True) -> float:
        """Return what the rounding of sums alone can do to the optimality conditions."""
        theta = check_scalar(self, theta)
        return max(
            part.judge.rounding_floor(part.program(theta), part.point(theta), relative)
            for part in self.parts
        )

    def objective(self, theta: float) -> float:
        """Return the objective at ``theta``, computed from the data; the sum over programs."""
        theta = check_scalar(self, theta)
        return sum(
            part.judge.objective(part.program(theta), part.point(theta)) for part in self.parts
        )

    def duality_gap(self, theta: float, relative: bool = False) -> float:
        """Return the duality gap at ``theta``, computed from the data; the sum over programs.

        With ``relative=True`` it is divided by the objective.
        """
        theta = check_scalar(self, theta)
        gap = sum(
            part.judge.duality_gap(part.program(theta), part.point(theta)) for part in self.parts
        )
        value = self.objective(theta) if relative else 0.0
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

        While weights move it is a step function, and at each breakpoint it has the value of the
        model in the middle. See :func:`weightpath.metrics.trace_curve`, also for the ``options``.
        """
        from weightpath.metrics import trace_curve

        return trace_curve(self, X, y, metric, sample_weight=sample_weight, qid=qid, k=k, **options)

    def model_at(self, theta: float) -> Any:
        """Return a fitted estimator at ``theta``, independent of this path.

        Where the path is that of a pipeline, a fitted pipeline with the same transformers.
        """
        theta, template = check_scalar(self, theta), self.template
        if template is None:
            from weightpath.estimators import rebuild

            template = rebuild(self.params)
        model = template.model_from(self, theta)
        return model if self.preparation is None else self.preparation.pipeline_of(model)

    def to_frame(self) -> DataFrame:
        """Return the segments as a :class:`pandas.DataFrame`, one row for each.

        Returns
        -------
        DataFrame
            Columns ``left`` and ``right`` (theta), ``events`` (changes at the left end),
            ``coefficients`` and ``margin`` (how many of each the bases have).
        """
        return segment_table(self)

    def coefficient_count(self) -> tuple[Reals, NDArray[np.int64]]:
        """Return the breakpoints, and the number of coefficients (of all programs) between."""
        counts = np.zeros(len(self), dtype=np.int64)
        for part in self.parts:
            segment = np.searchsorted(part.record.theta, self.theta[:-1], side="right") - 1
            counts += np.diff(part.record.column_offset)[segment]
        return self.theta, counts

    def plot(self, **options: Any) -> PathDisplay:
        """Plot the path. See :func:`weightpath.plotting.plot_path`."""
        from weightpath.plotting import plot_path

        return plot_path(self, **options)

    def to_html(
        self,
        file: str | PathLike[str] | IO[str],
        curve: Curve | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        """Write a page with pictures. See :func:`weightpath.plotting.report.write_report`.

        It has no slider, and no rows to predict: ``X`` and ``y`` are refused.
        """
        from weightpath.plotting.report import write_report

        if X is not None or y is not None:
            raise TypeError(
                "The page of a linear program's path has pictures and a summary, but no "
                "predictions: leave X and y out. path.predict(X, theta) has them."
            )
        write_report(self, file, curve, **options)

    def show(
        self, curve: Curve | None = None, *, height: int = 800, **options: Any
    ) -> PageView | None:
        """Show the page of :meth:`to_html` in a notebook, in a frame that survives export."""
        from weightpath.page.notebook import PageView, shown_page

        page = StringIO()
        self.to_html(page, curve, **options)
        return shown_page(PageView(page.getvalue(), height))

    def widget(self, *args: Any, **options: Any) -> Any:
        """Refuse: there is no widget of such a path."""
        raise TypeError(
            "The path of a linear program has no widget. path.show() and path.to_html(file) show "
            "its pictures, path.at(theta) is the solution at any theta."
        )

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write the path to ``file``, without pickle; ``weightpath.load`` reads it.

        An existing file is replaced only when the new one is complete.
        """
        from weightpath.path.programs.storage import save_program

        save_program(self, file)
