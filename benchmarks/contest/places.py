"""At which breakpoints a rival is asked, when there are too many to ask at all of them.

A warm start is worth most where the next breakpoint is near. So places are not spread evenly: there
are some stretches, evenly along the path, of breakpoints that follow one another. Only steps from a
breakpoint to the next are counted; the leaps from one stretch to the next are made but not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Steps in a stretch, at most, and stretches, at least.
LONGEST, FEWEST = 8, 5


@dataclass(frozen=True, eq=False)
class Places:
    """The breakpoints to visit, in order, after the first one.

    Attributes
    ----------
    visited : ndarray of int
        Numbers of the breakpoints.
    counted : ndarray of bool
        Whether the step there is one from the breakpoint before it.
    n_breakpoints : int
        All there are.
    """

    visited: np.ndarray
    counted: np.ndarray
    n_breakpoints: int

    @property
    def n_steps(self) -> int:
        """The steps of the whole path."""
        return self.n_breakpoints - 1

    @property
    def n_counted(self) -> int:
        """The steps that are measured."""
        return int(self.counted.sum())


def choose_places(n_breakpoints: int, n_steps: int) -> Places:
    """Choose about ``n_steps`` steps of a path with so many breakpoints, or all if they are fewer.

    Examples
    --------
    >>> from benchmarks.contest.places import choose_places
    >>> choose_places(4, 10).visited
    array([1, 2, 3])
    >>> places = choose_places(101, 10)
    >>> places.visited
    array([  1,   2,  24,  25,  26,  49,  50,  51,  74,  75,  76,  98,  99,
           100])
    >>> places.n_counted, places.n_steps
    (10, 100)
    """
    last = n_breakpoints - 1
    if last <= n_steps:
        visited = np.arange(1, last + 1)
    else:
        length = max(1, min(LONGEST, n_steps // FEWEST))
        begins = np.linspace(0, last - length, max(1, n_steps // length)).round().astype(int)
        visited = np.unique((begins[:, None] + np.arange(length + 1)).ravel())
        visited = visited[visited > 0]
    counted = np.diff(visited, prepend=0) == 1
    return Places(visited, counted, n_breakpoints)
