"""Print the BLAS kernels that this processor can run besides the one that it runs by default.

Usage: ``python tools/blas_kernels.py``, in the environment whose NumPy and SciPy are meant.

OpenBLAS has its kernels in several versions, chosen by the processor or by the environment variable
``OPENBLAS_CORETYPE``. They round differently, and an answer that depends on that is a defect.
OpenBLAS takes the variable at its word: for a name that it was built without it goes on with
another kernel, and with one whose instructions the processor lacks the process dies. So the flags
of the processor are looked at first. Then what was loaded is read back, in a process of its own for
each name; NumPy and SciPy bring a library each. Names that load the same count once.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

# What a kernel needs of the processor, in the words of /proc/cpuinfo.
AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
X86 = {
    "Prescott": {"pni"},
    "Nehalem": {"ssse3", "sse4_1", "sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": AVX512 | {"avx2", "fma"},
    "Cooperlake": AVX512 | {"avx2", "fma", "avx512_bf16"},
}
ARM = {
    "ARMV8": {"asimd"},
    "CORTEXA57": {"asimd"},
    "NEOVERSEN1": {"asimd", "asimdhp", "asimddp"},
    "NEOVERSEV1": {"asimd", "asimdhp", "asimddp", "sve"},
}
CANDIDATES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}

LOADED = """
import json
import numpy.linalg, scipy.linalg
from threadpoolctl import threadpool_info
print(json.dumps([p["architecture"] for p in threadpool_info() if p["internal_api"] == "openblas"]))
"""


def processor_flags() -> set[str]:
    """Return the instruction sets of the processor; nothing where the system does not say."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return set(value.split())
    return set()


def loaded_kernels(asked: str | None = None) -> frozenset[str]:
    """Return the kernels that NumPy and SciPy load when one is asked for; none if that fails."""
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    if asked is not None:
        environment["OPENBLAS_CORETYPE"] = asked
    command = [sys.executable, "-c", LOADED]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True)
    if answer.returncode != 0:
        print(f"{asked or 'the default'} does not run: {answer.stderr.strip()}", file=sys.stderr)
        return frozenset()
    return frozenset(json.loads(answer.stdout))


def further_kernels() -> list[str]:
    """Return the names for ``OPENBLAS_CORETYPE`` that run here, each with a kernel of its own."""
    flags, default = processor_flags(), loaded_kernels()
    print(f"The default kernel is {', '.join(sorted(default)) or 'unknown'}.", file=sys.stderr)
    found, seen = [], {frozenset(), default}
    for name, needed in CANDIDATES.get(platform.machine(), {}).items():
        if needed <= flags and (loaded := loaded_kernels(name)) not in seen:
            seen.add(loaded)
            found.append(name)
    return found


if __name__ == "__main__":
    kernels = further_kernels()
    if not kernels:
        sys.exit(
            "There is no second BLAS kernel to test with: NumPy and SciPy have no OpenBLAS, the "
            "processor runs only one, or this system does not tell its instruction sets."
        )
    print(*kernels, sep="\n")
