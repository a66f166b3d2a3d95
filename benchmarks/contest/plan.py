"""What to run: problems, sizes, rivals and patience."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.contest.problems import FAMILIES, Family
from benchmarks.contest.solvers import RIVALS, Solver


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes
    ----------
    sizes : tuple of int
        Rows of the problems that can be drawn at any size.
    rows : int or None
        Rows of real data, at most; ``None`` is all.
    n_steps : int
        About so many steps of a path are measured; all, if it has fewer.
    cap : float
        Seconds for each rival and problem.
    families, solvers : tuple of str
        Names; empty is all.

    Examples
    --------
    >>> from benchmarks.contest.plan import Plan
    >>> plan = Plan(sizes=(400, 200), solvers=("lars", "celer"))
    >>> [(family.name, n) for family, n in plan.problems()]
    [('lasso', 200), ('lasso', 400)]
    """

    sizes: tuple[int, ...] = (200, 400, 800, 1600)
    rows: int | None = None
    n_steps: int = 40
    cap: float = 60.0
    families: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()

    def problems(self) -> list[tuple[Family, int]]:
        """Families and numbers of rows, in the order in which they run."""
        chosen: list[tuple[Family, int]] = []
        for family in FAMILIES:
            if (self.families and family.name not in self.families) or not self.rivals(family):
                continue
            if family.n_rows is None:
                chosen += [(family, n) for n in sorted(set(self.sizes))]
            else:
                chosen.append((family, min(family.n_rows, self.rows or family.n_rows)))
        return chosen

    def rivals(self, family: Family) -> list[Solver]:
        """The rivals for a family."""
        wanted = [one for one in RIVALS if not self.solvers or one.name in self.solvers]
        return [one() for one in wanted if family.name in one.families]

    def count_runs(self) -> int:
        """How many runs there will be, one for weightpath in each problem."""
        return sum(1 + len(self.rivals(family)) for family, _ in self.problems())


QUICK = Plan(sizes=(40, 80), rows=60, n_steps=8, cap=20.0)
