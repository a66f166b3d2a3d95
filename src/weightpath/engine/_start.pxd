# Row by row: where any coefficients stand, and the residuals at which they are optimal.
