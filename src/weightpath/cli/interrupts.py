"""Ctrl-C: a request to stop where that is good, and an end within a second everywhere else.

Python looks at signals between two steps of its own. While native code reads a file or computes, a
thread that listens to the signal itself ends the program, unless results are being saved.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["MESSAGE", "Request", "ends_soon", "requests_by_interrupt", "save_from_now_on"]

MESSAGE = "Interrupted; nothing was written."
INTERRUPTED = 130

# Seconds that the program has to end by itself after Ctrl-C.
PATIENCE = 0.6


class Request:
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self.made = False


class _Listener:
    """Hears every Ctrl-C, and ends the program if nothing else does in time."""

    def __init__(self) -> None:
        self.is_saving = False
        self._presses = 0
        self._over = threading.Event()

    def listen(self, stream: int) -> None:
        while not self._over.is_set():
            heard = os.read(stream, 1)
            if heard and heard[0] == signal.SIGINT:
                self._presses += 1
                threading.Thread(target=self._end, args=(self._presses,), daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _end(self, press: int) -> None:
        if self._over.wait(PATIENCE) or (self.is_saving and press == 1):
            return
        if "--json" in sys.argv:
            print(json.dumps({"error": MESSAGE, "exit_code": INTERRUPTED}), flush=True)
        print(f"\nError: {MESSAGE}", file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)


_LISTENER = _Listener()


@contextmanager
def ends_soon() -> Iterator[None]:
    """End the program within a second of Ctrl-C, also while native code runs.

    For the main thread of a program of its own; where interrupts are ignored, as in a job in the
    background, they stay so.
    """
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
    if ignored or os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    before = signal.set_wakeup_fd(sink, warn_on_full_buffer=False)
    threading.Thread(target=_LISTENER.listen, args=(source,), daemon=True).start()
    try:
        yield
    finally:
        _LISTENER.stop()
        signal.set_wakeup_fd(before)


def save_from_now_on() -> None:
    """From now on, give the program the time it needs to save results after Ctrl-C; not twice."""
    _LISTENER.is_saving = True


@contextmanager
def requests_by_interrupt(announce: Callable[[], None] = lambda: None) -> Iterator[Request]:
    """Take the first Ctrl-C as a request to stop where it is good; the second interrupts at once.

    Only the main thread of a program can do so; elsewhere, and where interrupts are ignored as in
    a job in the background, Ctrl-C is left as it is.
    """
    request = Request()
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored or threading.current_thread() is not threading.main_thread():
        yield request
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if request.made:
            raise KeyboardInterrupt
        request.made = True
        announce()

    previous = signal.signal(signal.SIGINT, handle)
    was_saving, _LISTENER.is_saving = _LISTENER.is_saving, True
    try:
        yield request
    finally:
        # What was asked for will be saved.
        _LISTENER.is_saving = was_saving or request.made
        signal.signal(signal.SIGINT, previous)
