"""What is known of one competitor on one problem."""

from __future__ import annotations

from dataclasses import dataclass, field

FINISHED = "finished"
MORE_THAN = "more than"
NOT_INSTALLED = "not installed"
NOT_RUN = "not run"
FAILED = "failed"


@dataclass
class Entry:
    """One row of the results.

    Attributes
    ----------
    family : str
        The family of the problem.
    n : int
        Its rows.
    solver, label, how : str
        The competitor, as in :class:`~benchmarks.contest.solvers.base.Solver`.
    status : str
        One of the words above. "more than": stopped by the cap, times are lower bounds.
    start_s : float or None
        Seconds to get ready and to the first solution.
    path_s : float or None
        Seconds from there to the end of the path, scaled up if not all steps were measured.
    ratio : float or None
        ``path_s`` over weightpath's.
    breakpoints : int
        Those of the path.
    steps : int
        The steps between them that were measured, all of them for who does the path in one call.
    places : int
        The breakpoints at which its answers were judged.
    violation : float or None
        The largest violation of an optimality condition at those.
    excess : float or None
        The largest relative excess of the objective over the lowest that anybody reached.
    note : str
        What else should be known.
    objectives : dict
        From the number of a breakpoint to the objective; not for the files.
    """

    family: str
    n: int
    solver: str
    label: str
    how: str
    status: str = FINISHED
    start_s: float | None = None
    path_s: float | None = None
    ratio: float | None = None
    breakpoints: int = 0
    steps: int = 0
    places: int = 0
    violation: float | None = None
    excess: float | None = None
    note: str = ""
    objectives: dict[int, float] = field(default_factory=dict)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the times are only known to be exceeded."""
        return self.status == MORE_THAN

    def remark(self, text: str) -> None:
        """Add to the note."""
        self.note = f"{self.note}; {text}" if self.note else text

    def judge(self, place: int, verdict) -> None:
        """Take down what the judge says of the answer at one place."""
        self.places += 1
        self.violation = max(verdict.violation, self.violation or 0.0)
        self.objectives[place] = verdict.objective

    def as_row(self) -> dict:
        """For a file: everything but the objectives."""
        row = dict(vars(self))
        del row["objectives"]
        return row
