"""The contest: whole paths by weightpath and by what one would use instead.

In the layout of benchopt [1]_: problems, solvers and the judge know nothing of one another's
insides.

- :mod:`~weightpath.benchmarks.contest.problems`: the data, and how the weights move;
- :mod:`~weightpath.benchmarks.contest.solvers`: one small file for each competitor;
- :mod:`~weightpath.benchmarks.contest.judge`: optimality and objective, from data and answers;
- :mod:`~weightpath.benchmarks.contest.places`: at which breakpoints a rival is asked;
- :mod:`~weightpath.benchmarks.contest.plan`, :mod:`~weightpath.benchmarks.contest.run` and
  :mod:`~weightpath.benchmarks.contest.clock`: what to run, who runs when, and for how long;
- :mod:`~weightpath.benchmarks.contest.growth`: how times grow with the number of rows;
- :mod:`~weightpath.benchmarks.contest.results` and
  :mod:`~weightpath.benchmarks.contest.pictures`: files for people and for programs.

References
----------
.. [1] T. Moreau et al., "Benchopt: reproducible, efficient and collaborative optimization
   benchmarks", NeurIPS 2022.
"""
