"""Measurements of memory, in processes that have done nothing else."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.threads import environment_of_one_thread

__all__ = ["answer_of", "peak_mb", "resident_mb"]

STATUS = Path("/proc/self/status")
# From here ``python -m`` finds this package.
CHECKOUT = Path(__file__).parents[1]


def answer_of(module: str, *arguments: str) -> dict:
    """Run ``python -m module arguments`` in one thread; its last line of output is JSON."""
    command = [sys.executable, "-m", module, *arguments]
    environment = environment_of_one_thread()
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=CHECKOUT)
    if answer.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{answer.stderr}")
    return json.loads(answer.stdout.splitlines()[-1])


def peak_mb() -> float:
    """The largest resident memory of this process so far, in units of 1e6 bytes.

    ``ru_maxrss`` starts from the memory of the parent process on Linux; the high-water mark of
    /proc does not.
    """
    if STATUS.exists():
        return _status_mb("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def resident_mb() -> float:
    """The resident memory of this process now; without /proc the largest so far."""
    return _status_mb("VmRSS") if STATUS.exists() else peak_mb()


def _status_mb(name: str) -> float:
    line = next(row for row in STATUS.read_text().splitlines() if row.startswith(name))
    return int(line.split()[1]) * 1024 / 1e6
