"""The contest: whole paths by weightpath and by what one would use instead.

In the layout of benchopt [1]_: problems, solvers and the judge know nothing of one another's
insides.

- :mod:`~benchmarks.contest.problems`: the data, and how the weights move;
- :mod:`~benchmarks.contest.solvers`: one small file for each competitor;
- :mod:`~benchmarks.contest.judge`: optimality and objective, from data and answers;
- :mod:`~benchmarks.contest.places`: at which breakpoints a rival is asked;
- :mod:`~benchmarks.contest.plan`, :mod:`~benchmarks.contest.run` and
  :mod:`~benchmarks.contest.clock`: what to run, who runs when, and for how long;
- :mod:`~benchmarks.contest.growth`: how times grow with the number of rows;
- :mod:`~benchmarks.contest.results` and
  :mod:`~benchmarks.contest.pictures`: files for people and for programs.

References
----------
.. [1] T. Moreau et al., "Benchopt: reproducible, efficient and collaborative optimization
   benchmarks", NeurIPS 2022.
"""
