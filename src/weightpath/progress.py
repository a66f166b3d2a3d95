"""Progress of long work: a bar, lines of text, or a function of the caller.

Around anything that is counted in tasks::

    with Progress(len(tasks), "Folds", verbose=self.verbose, hook=self.progress) as bar:
        for result in results_as_they_come:
            bar.advance()

or, where the results come from an iterator (such as ``joblib.Parallel`` with
``return_as="generator_unordered"``, in whose order tasks finish)::

    for result in track(results, total=len(tasks), description="Rows", verbose=1):
        ...

``verbose=0`` shows nothing. From 1 on, the bar of rich is shown on standard error where rich is
installed and a terminal or a notebook listens, a line that is drawn anew on other terminals, and
elsewhere (a log file) a line for every tenth of the work. The ``hook`` is called with ``done`` and
``total``, first with ``done=0``, whatever ``verbose`` is: another program can show its own bar.

Work that is not counted in tasks, such as a path, says by ``bar.at(fraction, detail)`` how far it
is, and ``bar.begin(description)`` names the next of several pieces of work in the same bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Hook", "Progress", "track"]

Item = TypeVar("Item")
Hook = Callable[[int, int], Any]

# Lines of text over the whole of the work where they cannot be drawn over.
LINES = 10


class Progress:
    """Counts tasks that are done, and shows it while it is entered as a context.

    Parameters
    ----------
    total : float or None
        How many tasks there are, 1 for a fraction; None if that is unknown.
    description : str
        What is done, in a word or two.
    verbose : int, default=0
        Zero shows nothing.
    hook : callable or None, default=None
        Called as ``hook(done, total)``, at the beginning and after every task.
    stream : file object or None, default=None
        Where to show it; standard error by default.
    clock : callable, default=time.monotonic
        Gives the time in seconds.
    transient : bool, default=False
        Whether the bar vanishes at the end.

    Examples
    --------
    >>> from weightpath.progress import Progress
    >>> with Progress(3, "Folds", hook=lambda done, total: print(done, "of", total)) as bar:
    ...     for fold in range(3):
    ...         bar.advance()
    0 of 3
    1 of 3
    2 of 3
    3 of 3
    """

    def __init__(
        self,
        total: float | None,
        description: str,
        verbose: int = 0,
        hook: Hook | None = None,
        stream: IO[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        transient: bool = False,
    ) -> None:
        self.total = total
        self.description = description
        self.done: float = 0
        self.detail = ""
        self.transient = transient
        self._hook = hook
        self._clock = clock
        self._began = clock()
        self._display = _display(self, stream) if verbose > 0 else None

    def __enter__(self) -> Progress:
        self._began = self._clock()
        if self._display is not None:
            self._display.start()
        self._tell()
        return self

    def __exit__(self, *error: object) -> None:
        if self._display is not None:
            self._display.stop()

    def advance(self, n: int = 1) -> None:
        """Count ``n`` more tasks as done."""
        self.done += n
        self._tell()

    def at(self, done: float, detail: str = "") -> None:
        """Say how much is done, and something about it."""
        self.done, self.detail = done, detail
        self._tell()

    def begin(self, description: str, total: float | None = None) -> None:
        """Say what is done from now on; the time counts anew."""
        self.description, self.total, self.done, self.detail = description, total, 0, ""
        self._began = self._clock()
        if self._display is not None:
            self._display.restart()

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began

    @property
    def remaining(self) -> float | None:
        """Seconds that the rest will take at the rate so far; None before the first task."""
        if self.done == 0 or self.total is None:
            return None
        return self.elapsed / self.done * (self.total - self.done)

    def __str__(self) -> str:
        if self.detail or self.total is None:
            share = "" if self.total is None else f" {self.done / self.total:.1%},"
            return f"{self.description}:{share} {self.detail}, {_duration(self.elapsed)}"
        text = f"{self.description}: {self.done} of {self.total}"
        if self.done >= self.total:
            return f"{text}, {_duration(self.elapsed)}"
        remaining = self.remaining
        return text if remaining is None else f"{text}, about {_duration(remaining)} left"

    def _tell(self) -> None:
        if self._display is not None:
            self._display.update()
        if self._hook is not None:
            self._hook(int(self.done), int(self.total or 0))


def track(
    items: Iterable[Item],
    description: str,
    verbose: int = 0,
    total: int | None = None,
    hook: Hook | None = None,
) -> Iterator[Item]:
    """Yield the items and show how many have been dealt with.

    Parameters
    ----------
    items : iterable
        One for each task.
    description : str
        What is done, in a word or two.
    verbose : int, default=0
        Zero shows nothing.
    total : int or None, default=None
        How many there are; ``len(items)`` by default.
    hook : callable or None, default=None
        Called as ``hook(done, total)``.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> from weightpath.progress import track
    >>> [row**2 for row in track(range(3), "Rows")]
    [0, 1, 4]
    """
    if total is None:
        total = len(items)  # type: ignore[arg-type]
    with Progress(total, description, verbose, hook) as bar:
        for item in items:
            yield item
            bar.advance()


def _display(bar: Progress, stream: IO[str] | None) -> _Lines | _RichBar:
    """Return the best display that the surroundings allow."""
    stream = sys.stderr if stream is None else stream
    rich = _rich_console(stream)
    return _Lines(bar, stream) if rich is None else _RichBar(bar, rich)


def _rich_console(stream: IO[str]) -> Console | None:
    """Return a console of rich if it can draw bars there, else None."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    console = Console(file=stream)
    return console if console.is_terminal or console.is_jupyter else None


class _RichBar:
    """A bar drawn by rich."""

    def __init__(self, bar: Progress, console: Console) -> None:
        from rich import progress

        self._bar = bar
        self._drawn = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=30),
            progress.TextColumn("{task.fields[detail]}"),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(),
            console=console,
            transient=bar.transient,
        )
        self._task = self._drawn.add_task(bar.description, total=bar.total, detail="")

    def start(self) -> None:
        self._drawn.start()

    def update(self) -> None:
        bar = self._bar
        counted = "" if bar.total is None else f"{bar.done}/{bar.total}"
        self._drawn.update(self._task, completed=bar.done, detail=bar.detail or counted)

    def restart(self) -> None:
        bar = self._bar
        self._drawn.reset(self._task, description=bar.description, total=bar.total, detail="")

    def stop(self) -> None:
        self._drawn.stop()


class _Lines:
    """Plain text: one line drawn over and over on a terminal, some lines elsewhere."""

    def __init__(self, bar: Progress, stream: IO[str]) -> None:
        self._bar = bar
        self._stream = stream
        self._redraws = bool(getattr(stream, "isatty", lambda: False)())
        self._tenth = 0
        self._width = 0
        self._said = False

    def start(self) -> None:
        self._tenth = self._width = 0
        self._said = False

    def restart(self) -> None:
        self._tenth, self._said = 0, False

    def update(self) -> None:
        if self._redraws:
            text = str(self._bar)
            self._write("\r" + text.ljust(self._width))
            self._width = len(text)
            return
        if self._bar.total is None:
            return
        tenth = int(LINES * self._bar.done // max(self._bar.total, 1))
        # A path may be over before a tenth of it is told: its first report is a line as well.
        if tenth > self._tenth or (self._bar.detail and not self._said):
            self._tenth, self._said = tenth, True
            self._write(f"{self._bar}\n")

    def stop(self) -> None:
        if self._redraws:
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d} min"
