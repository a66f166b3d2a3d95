"""Every tolerance of the library's numerics, each with its reason.

Everything is measured in *residual units*. ``Rs`` is the largest target or finite level, and a
change of coefficient ``i`` by ``d`` changes no residual by more than ``kappa_i d`` with
``kappa_i = sqrt(K_ii max_j K_jj)``. So ``Rs / kappa_i`` is the size of a coefficient that matters,
and the *unit* of coefficient ``i`` is the smaller of that and the distance between its outermost
knots. A bound that no coefficient reaches has no effect, however large it is.
:mod:`weightpath.problems.scales` computes these scales.
"""

# Residuals ------------------------------------------------------------------------------------

# A residual this close to a level (times Rs) is at it; the rounding of K beta is added to it. At
# 1e-9 violations of 1e-8 are seen.
RESIDUAL = 1e-11

# Roundings of a long sum: times machine epsilon times the sum of absolute terms.
ROUNDINGS = 8.0

# The margin is corrected when its residuals exceed this fraction of their tolerance.
REFINE_ABOVE = 0.25

# At the end of a line, and wherever all rows are recomputed, it is corrected above this fraction.
POLISH_ABOVE = 0.03

# Slopes of the margin that updates have led to are refined now and then. A step that changes them
# by more than this part of the largest is followed by another: after one below it, their error is
# that of a solve with a step of refinement.
NEAR_SLOPES = 1e-8

# Events between two corrections of the margin (cost: one pass over its columns).
REFRESH_EVERY = 50

# All residuals are recomputed where the roundings of K beta that they carry are larger than
# those of the present coefficients by this factor.
FRESH_AFTER_FALL = 10.0

# At the end of a path all residuals are computed from the kernel if they have been carried along
# for more than so many events. Otherwise some random rows are compared with the kernel.
FRESH_AT_END = 250

# So many random rows are compared, twice as many where that is cheap, and so many that had events;
# of rows whose column is not at hand only a few, as it must be computed.
LOOKED_AT = 64
MOVED_LOOKED_AT = 256
COMPUTED_TO_LOOK = 4

# A factor of the margin is kept for the next path until it has been updated so often.
KEPT_UPDATES = 2000

# With very many rows, as with pairs, going over all of them costs more than the events in between:
# one event more between corrections for so many rows, and a correction costs about as much as a
# tenth of these events.
ROWS_PER_REFRESH = 1000

# Columns of a kernel that are so many times longer take as many events more, up to a number: a
# correction reads the whole columns of the margin, and wakes all rows.
LENGTH_PER_REFRESH = 250
LONGEST_REFRESH = 400

# What rounding does to the margin between two corrections is corrected; errors so many times as
# large as the shifts that are carried along come from events that were missed.
MISSED = 100.0

# A shift of the targets larger than this (times Rs) is not carried along the path: the solution is
# repaired at that theta. Where rounding alone is larger, so is what is carried: this many times
# the tolerance of residuals.
SHIFT_LIMIT = 1e-10
SHIFT_ROUNDINGS = 10.0

# The end of a path is repaired while its violation exceeds this (times Rs) and the rounding.
END = 1e-11

# Where no further attempt makes it smaller, a violation up to this (times Rs), or so many times
# what rounding does, is accepted: no answer is refused for rounding alone. The certificate shows
# it.
ACCEPTED = 1e-9
ACCEPTED_ROUNDINGS = 64.0

# Where roundings alone say how exact residuals are, as with large features, a solution whose
# residuals are off by more than this fraction of their tolerance is sharpened: corrected by
# residuals in twice the precision, and told from its neighbours by so few roundings (more where
# they do not do), until no residual is off by more than a smaller fraction of the tolerance.
SHARPEN_ABOVE = 0.25
SHARP_ROUNDINGS = (0.25, 1.0, 4.0)
SHARP_ENOUGH = 0.05

# A problem whose residuals have a rounding floor above this (times Rs) is beyond double precision.
BEYOND_PRECISION = 1e-7

# Roundings of a kernel sum in its floor, which the certificate reports beside the violation.
FLOOR_ROUNDINGS = 64.0

# Targets, levels and values beyond this are refused. Where a residual has no level on one side, a
# large finite number stands for it: all others must stay far below, and so must their products.
LARGEST = 1e150

# Responses below this fraction of what their terms can add up to may be rounding: without targets
# and levels they do not say what is large.
ROUNDED_AWAY = 1e-8

# A residual beyond a finite outer level (a penalty without bounds) makes the loss infinite. So much
# of Rs is taken as rounding and put back on the level, in the duality gap.
LEVEL = 1e-10

# Coefficients ---------------------------------------------------------------------------------

# A coefficient is at a knot if moving it there changes no residual by more than its tolerance, but
# never beyond this fraction of the way to the next knot: with tiny bounds nothing changes a
# residual.
NEAR_KNOT = 1e-9

# Roundings of a coefficient or knot: times machine epsilon times its size.
KNOT_ROUNDINGS = 4.0

# Coefficients of an approximate start this close to a knot (times their unit) are put on it.
SNAP = 1e-9

# A start whose residuals are off by more than this (times Rs) is no better than no coefficients.
POOR_START = 10.0

# A free coefficient beyond its interval by more than this (times its unit) means that the numbers
# have gone astray; the path is then repaired.
OUT_OF_INTERVAL = 1e-8

# Slopes of margin members below this fraction of the largest slope are noise.
SLOPE_NOISE = 1e-13

# A step that moves theta, and every coefficient relative to its unit, by no more than this is of
# length zero.
ZERO_STEP = 1e-14

# Where the rest of a leg would move theta, and every coefficient relative to its unit, by no more
# than this, an event is at the end of the leg: a tenth of what residuals can be told apart by.
END_STEP = 1e-12

# Components of a null direction below this fraction of the largest cannot block.
NULL_NOISE = 1e-12

# A member that a null direction has moved is at a knot where so many roundings of its way there are
# left: all of a margin may meet their knots at once.
NULL_ROUNDINGS = 64.0

# The sum of the coefficients -------------------------------------------------------------------

# The knots' balance is unchanged (the paper's delta = 0) below this fraction of their total speed.
BALANCE_NOISE = 1e-13

# A balance that no row can restore is accepted just before theta = 1, where a class vanishes, if
# what is left of it is below this fraction of the largest unit of a coefficient.
BALANCE_LEFT = 1e-9

# The bias --------------------------------------------------------------------------------------

# An interval of the bias no longer than this fraction of Rs is a point.
UNIQUE_BIAS = 1e-9

# Differences of bounds of the bias below this fraction of the largest bound are rounding errors of
# the kernel sums.
BOUND_NOISE = 1e-13

# The margin system ----------------------------------------------------------------------------

# A pivot below this fraction of the diagonal is dependence (for every kernel; relative) ...
PIVOT = 1e-13
# ... and so is one below this many roundings of the terms it is the difference of.
PIVOT_ROUNDINGS = 20.0
# Pivots are judged against the diagonal, but never against less than this fraction of the margin's
# largest.
SMALLEST_DIAGONAL = 1e-3
# A factor made in one go is trusted if no pivot is below this fraction of the largest diagonal.
TRUSTED_PIVOT = 1e-11
# A pivot this far below zero (fraction of the largest diagonal, and times what rounding can do)
# proves that the kernel matrix is not positive semidefinite ...
NEGATIVE_PIVOT = 1e-7
NEGATIVE_ROUNDINGS = 1e3
# ... and so does an eigenvalue this far below zero (fraction of the largest).
NEGATIVE_EIGENVALUE = 1e-10

# Reading a path -------------------------------------------------------------------------------

# Where the coefficients of a margin fall by more than this factor on a segment, they are read from
# its right end, too.
FEW_DIGITS = 10.0

# Two ends of a segment belong to one straight line if they differ from it by no more than this
# fraction of what is on it; otherwise something was exchanged where the segment ends.
SAME_LINE = 1e-9

# Legs -----------------------------------------------------------------------------------------

# Along one leg of a path the largest knot, target or level grows or shrinks at most by this factor.
LEG_GROWTH = 10.0

# A bound that falls by orders of magnitude meets its coefficient just before theta = 1, where theta
# has few digits; one that rises leaves it just after 0, and speeds of that moment would round off
# all later ones. So the distance from either end changes at most by this factor on one leg. A
# rounding of theta moves what is left of a coefficient by so many of its own roundings. The floor
# of a residual has FLOOR_ROUNDINGS of them; from ten times as many on errors of 1e-6 are possible
# where that floor is at BEYOND_PRECISION.
LEG_STRETCH = 500.0

# Regions --------------------------------------------------------------------------------------

# Edges of regions shorter than this, in units of the plane's sides, are not crossed: what is behind
# them is found through other edges, or missed in the sum of all areas.
SHORT_EDGE = 1e-14

# How far beyond the polygon of its neighbour the middle of an edge may be.
BESIDE_EDGE = 1e-9

# The areas of all regions differ from that of the plane by at most this fraction of it.
UNCOVERED = 1e-9

# Where ties spoil a tiling, targets are moved by up to these fractions of the largest target or
# level, one after the other: far above what rounding does to residuals, far below what anybody
# measures. Where that does not help, a ridge is added to the kernel matrix, too, in fractions of
# its largest diagonal entry. Solutions are worked out from the true targets, without the ridge.
TIE_BREAKS = (
    (0.0, 0.0),
    (1e-9, 0.0),
    (1e-8, 0.0),
    (1e-9, 1e-12),
    (1e-8, 1e-11),
    (1e-9, 0.0),
    (1e-8, 0.0),
    (1e-7, 1e-10),
)

# Without such shifts, edges with nothing behind them, or not what belongs there: above this
# fraction of all regions (and 1000 more) there are ties.
LOST_EDGES = 0.001

# Where the positions of a first solution are doubtful, targets are moved by so many times the
# tolerance of residuals, and then back.
START_SHIFTS = (100.0, 1e4, 1e6)

# Conformal sets --------------------------------------------------------------------------------

# Scores that differ by less than this fraction of the largest target are equal. Rows that are alike
# have the same score, but it is added up in another order; a score that counts as equal can only
# keep a label that is as likely as the last one kept.
EQUAL_SCORES = 1e-10
