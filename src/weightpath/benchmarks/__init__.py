"""Benchmarks: ``python -m weightpath.benchmarks --out DIR``, or ``make bench``."""

import os

# Before anything imports NumPy: one thread for everybody.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
