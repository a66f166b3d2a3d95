"""Judges: independent solvers, exact arithmetic and generated problems for the tests.

Nothing here shares code with the engine. A judge sees a dense kernel matrix and a
:class:`weightpath.problems.Staircase` (data only) and says what the answer is, or how wrong a given
answer is.

============== =====================================================================
module         what it judges with
============== =====================================================================
conic          an interior point solver (Clarabel), every staircase
quadratic      an active set solver (qpOASES) and LIBSVM, problems with a plain box
rational       exact rational arithmetic, tiny problems
enumeration    exact breakpoints of a whole path, tiny problems
optimality     the optimality conditions, recomputed in plain NumPy
cases          named ugly classification problems
tiny           tiny integer problems of every kind of staircase
strategies     Hypothesis strategies of whole classification paths
published      degenerate examples with known breakpoints
============== =====================================================================
"""
