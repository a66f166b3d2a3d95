"""Benchmarks.

- :mod:`weightpath.benchmarks.contest`: the library beside what one would use instead, the command
  ``weightpath bench``;
- the other modules: one table each about the library itself, ``python -m weightpath.benchmarks
  --out DIR``, or ``weightpath bench --full`` for both.

Everything runs in one thread, see :mod:`weightpath.benchmarks.threads`.
"""
