"""Progress on the screen."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["LiveProgress"]


class LiveProgress:
    """One line on standard error: what is done now, and how far it is.

    Nothing is shown if standard error is not a terminal, or if ``quiet`` is set.

    Parameters
    ----------
    quiet : bool, default=False
        Whether to show nothing at all.
    """

    def __init__(self, quiet: bool = False):
        console = Console(stderr=True, highlight=False)
        self._shown = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._shown.add_task("Reading", total=None, detail="")

    def __enter__(self) -> LiveProgress:
        self._shown.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._shown.stop()

    def begin(self, what: str, total: float | None = None) -> None:
        """Say what is done from now on; ``total`` is None if the number of tasks is unknown."""
        self._shown.reset(self._task, description=what, total=total, detail="")

    def path(self, theta: float, n_events: int, margin_size: int) -> None:
        """Show where a path is."""
        detail = f"theta {theta:.4f}, {n_events:,} events, {margin_size:,} on the margin"
        self._shown.update(self._task, completed=theta, detail=detail)

    def tasks(self, done: int, total: int) -> None:
        """Show how many tasks are done."""
        self._shown.update(self._task, completed=done, total=total, detail=f"{done} of {total}")
