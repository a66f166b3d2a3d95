"""What the figures depend on besides the code: the machine, the versions, the threads."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

PACKAGES = ("weightpath", "numpy", "scipy", "scikit-learn", "casadi")


def facts(packages=PACKAGES) -> dict[str, str]:
    pools = {(pool["internal_api"], pool["num_threads"]) for pool in threadpool_info()}
    most = max((n for _, n in pools), default=1)
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "threads used": f"{most} (" + ", ".join(f"{api}: {n}" for api, n in sorted(pools)) + ")",
        "load average at the end": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: _version(name) for name in packages},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _load() -> str:
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
