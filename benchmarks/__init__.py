"""Benchmarks: beside the package, not in it; run from a checkout.

- :mod:`benchmarks.contest`: the library beside what one would use instead, ``python -m benchmarks``
  or ``weightpath bench``;
- the other modules: one table each about the library itself, ``python -m benchmarks.tables --out
  DIR``, or ``python -m benchmarks --full`` for both;
- :mod:`benchmarks.versions`: two installed versions of the library in turns, for a change of it.

Everything runs in one thread, see :mod:`benchmarks.threads`.
"""
