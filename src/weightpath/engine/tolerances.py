"""Every tolerance of the engine, each with its reason; all are relative to a scale.

Two scales: *B*, the largest of the knots and coefficients at the current theta (not of the whole
path: weights may grow a million-fold), and *R*, the largest of the targets and finite levels.
"""

# A coefficient this close to a knot (times B) is at it. Anything from 1e-14 to 1e-10 works.
BETA = 1e-12

# A residual this close to a level (times R) is at it; the rounding of K beta is added to it.
# At 1e-9 violations of 1e-8 are seen.
RESIDUAL = 1e-11

# Roundings of a long sum: times machine epsilon times the sum of absolute terms.
ROUNDINGS = 8.0

# Slopes of margin members below this part of the largest slope are noise.
SLOPE_NOISE = 1e-13

# The knots' balance is unchanged (the paper's delta = 0) below this part of their total speed.
BALANCE_NOISE = 1e-13

# A balance that nobody can restore is forgiven just before theta = 1, where a class vanishes, if
# what is left of it is below this part of the leg's largest knot.
BALANCE_LEFT = 1e-9

# A step that moves theta, and every coefficient relative to B, by no more than this is of length
# zero.
ZERO_STEP = 1e-14

# A free coefficient beyond its interval by more than this (times B) means that the numbers have
# gone astray; the path is then repaired from there.
OUT_OF_INTERVAL = 1e-8

# The margin is corrected when its residuals exceed this part of their tolerance.
REFINE_ABOVE = 0.25

# Events between two corrections of the margin (cost: one pass over its columns).
REFRESH_EVERY = 50

# With very many rows, as with pairs, going over all of them costs more than the events in between:
# one event more between corrections for so many rows.
ROWS_PER_REFRESH = 2000

# A shift of the targets larger than this (times R) is not carried along the path: the solution is
# repaired at that theta. Where rounding alone is larger, so is what is carried: this many times
# the tolerance of residuals.
SHIFT_LIMIT = 1e-10
SHIFT_ROUNDINGS = 10.0

# Coefficients of an approximate start this close to a knot (times B) are put on it.
SNAP = 1e-9

# The end of a path is repaired while its violation exceeds this (times R) and the rounding.
END = 1e-11

# Along one leg of a path the largest knot grows or shrinks at most by this factor.
LEG_GROWTH = 10.0
