"""What a path is measured against: the paper's rivals, compiled with Numba, one thread each.

- :mod:`benchmarks.rivals.smo`: sequential minimal optimisation of weighted classification and
  regression, started where the last solution was ("alpha seeding");
- :mod:`benchmarks.rivals.pair_smo`: the same for ranking, one pair a step;
- :mod:`benchmarks.rivals.pair_descent`: coordinate descent over the pairs of a query at a time,
  the fastest way known to us to a first ranking solution;
- :mod:`benchmarks.rivals.pairs`: the ranking problem that the last two share.

The compiled loops are translated at their first call, in every process. Let each solver run once on
a few rows before a clock is started.
"""
