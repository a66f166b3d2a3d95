"""What the picture of a linear program machine shows: its coefficients, as steps or lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.path import LinearProgramPath
from weightpath.problems import Wording

__all__ = ["ProgramLines", "program_lines"]

Reals = NDArray[np.float64]


class ProgramLines(NamedTuple):
    """The fields of a :class:`~weightpath.plotting.PathDisplay`."""

    theta: Reals
    coefficients: Reals
    indices: NDArray[np.intp]
    margin_edges: Reals
    margin_sizes: NDArray[np.int64]
    event_theta: Reals
    wording: Wording


def program_lines(
    path: LinearProgramPath, indices: ArrayLike | None, n_rows: int, max_segments: int
) -> ProgramLines:
    """Collect what is shown of a path.

    Parameters
    ----------
    path : LinearProgramPath
        What to show.
    indices : array-like of int or None
        Coefficients; by default those that vary most.
    n_rows : int
        How many are chosen by default.
    max_segments : int
        Of how many segments, evenly among all, coefficients are collected.
    """
    edges, sizes = path.coefficient_count()
    some = np.unique(np.linspace(0, len(edges) - 2, min(len(edges) - 1, max_segments)).astype(int))
    ends = np.column_stack((edges[some], edges[some + 1])).ravel()
    # A coefficient jumps at breakpoints: from the left end, seen from the right, to the right end.
    heights = np.array(
        [_heights(path, float(t), k % 2 == 0) for k, t in enumerate(ends)], dtype=np.float64
    )
    if indices is None:
        way = np.abs(np.diff(heights, axis=0)).sum(axis=0)
        way = np.where(way > 0, way, 1e-12 * np.abs(heights).max(axis=0))
        most = np.argsort(-way, kind="stable")[:n_rows]
        indices = np.sort(most[way[most] > 0])
    chosen = np.atleast_1d(np.asarray(indices, dtype=int))
    row = "feature" if path.kernel.name == "linear" else "row"
    wording = Wording("coefficient", row=row, margin="coefficients that are not zero")
    events = np.asarray(path.events["theta"], dtype=float)
    return ProgramLines(ends, heights[:, chosen], chosen, edges, sizes, events, wording)


def _heights(path: LinearProgramPath, theta: float, from_right: bool) -> Reals:
    """Return the coefficients at one end of a segment, summed over the programs."""
    coef = path.at(theta, "right" if from_right else "left").coef
    return np.asarray(coef.reshape(-1, coef.shape[-1]).sum(axis=0))
