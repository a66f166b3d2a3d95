"""The engine: sets, factors and columns; it knows no labels.

:func:`first_solution` finds an approximate solution, :func:`solve` makes any start exact, and
:func:`follow` goes from one problem to another. One native loop (``_loop.pyx``) does the last two.
Its state (``_loop_state.pyx``) has collaborators: the ``Line``, the ``Stairs``, the ``Margin`` with
its ``Factor``, the ``Residuals``, the ``Scales``, the ``Guard`` and the ``Recorder``.
"""

from weightpath.engine.definiteness import smallest_eigenvalue
from weightpath.engine.first_solution import first_solution
from weightpath.engine.follow import follow
from weightpath.engine.saving import SavedProblem, load_problem
from weightpath.engine.solve import solve
from weightpath.engine.trace import Options, Trace
from weightpath.engine.watch import watching
from weightpath.problems.scales import kappa_of
from weightpath.record import COMPLETE, STOPPED_AT_CAP, STOPPED_ON_REQUEST, Record, State, Status
from weightpath.record.bias import center_bias

__all__ = [
    "COMPLETE",
    "STOPPED_AT_CAP",
    "STOPPED_ON_REQUEST",
    "Options",
    "Record",
    "SavedProblem",
    "State",
    "Status",
    "Trace",
    "center_bias",
    "first_solution",
    "follow",
    "kappa_of",
    "load_problem",
    "smallest_eigenvalue",
    "solve",
    "watching",
]
