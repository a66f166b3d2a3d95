"""How a path ended, as a sentence with advice."""

from __future__ import annotations

__all__ = ["COMPLETE", "STOPPED_AT_CAP", "STOPPED_ON_REQUEST", "Status"]


class Status(str):
    """A word that carries its message.

    Examples
    --------
    >>> from weightpath.engine import COMPLETE
    >>> COMPLETE == "complete"
    True
    """

    message: str

    def __new__(cls, word: str, message: str) -> Status:
        """Return the word with its message."""
        status = super().__new__(cls, word)
        status.message = message
        return status

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Return what makes it again, for pickle."""
        return str(self), self.message


COMPLETE = Status("complete", "The path was followed to its end and the end was verified.")
STOPPED_AT_CAP = Status(
    "stopped at the event cap",
    "The path was stopped after max_events events. Raise max_events to go further, or choose a "
    "nearer target: the number of events can grow exponentially in the worst case.",
)
STOPPED_ON_REQUEST = Status(
    "stopped on request",
    "The path was stopped before its end by the function that watched it. It is exact as far as "
    "it goes.",
)
