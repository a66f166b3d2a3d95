"""What the paper itself says of its experiments: numbers where its text gives them, else in words.

M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi, "Multi-parametric solution-path algorithm for
instance-weighted support vector machines". Its figures of times have no numbers in the text, so
that of them only the shape is known, as the text describes it. Figures and tables are counted as
they come.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLAIMS", "SETUP", "TABLE1", "Claim", "Spread"]


@dataclass(frozen=True)
class Spread:
    """A mean and a standard deviation over ten data sets."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        digits = 2
        return f"{self.mean:.{digits}f} ({self.deviation:.{digits}f})"


@dataclass(frozen=True)
class Claim:
    """Something that the paper says of its results, in our words, and where."""

    where: str
    says: str


# Section 4.1, Table 1: n, then seconds of the path, seconds of SMO at every breakpoint, events, and
# the mean size of the margin; mean and standard deviation over 10 data sets.
TABLE1 = {
    400: {
        "path": Spread(0.03, 0.00),
        "SMO": Spread(0.39, 0.01),
        "events": Spread(326.70, 7.17),
        "margin": Spread(3.07, 0.03),
    },
    800: {
        "path": Spread(0.08, 0.00),
        "SMO": Spread(2.84, 0.12),
        "events": Spread(635.30, 17.47),
        "margin": Spread(3.27, 0.02),
    },
    1200: {
        "path": Spread(0.19, 0.00),
        "SMO": Spread(10.63, 0.38),
        "events": Spread(997.60, 26.85),
        "margin": Spread(3.38, 0.05),
    },
    1600: {
        "path": Spread(0.35, 0.01),
        "SMO": Spread(28.11, 0.77),
        "events": Spread(1424.00, 31.27),
        "margin": Spread(3.50, 0.02),
    },
}

# Section 4.1: where its sample had the lowest validation error.
BEST_C1 = 4.0

# Section 5.2.2: pairs of documents in the training part of each fold of OHSUMED, and the most on
# the margin ("at most about one hundred").
PAIRS = {1: 367663, 2: 422716, 3: 378087, 4: 295814, 5: 283484}
LARGEST_MARGIN = 100

# What was done, by experiment.
SETUP = {
    "schematic": (
        "Section 3.2, Figure 2: the critical region of a solution in the plane of two weights, and "
        "how far a path may go in it. Section 5.2.1, Figure 15: outputs for three items of "
        "different relevance, and their NDCG. Both are sketches in the paper."
    ),
    "table1": (
        "Section 4.1, Table 1. Artificial data in the plane, four Gaussian groups; n = 400, 800, "
        "1200 and 1600, ten data sets of each size. The weights of half of the rows go from 0 to "
        "10, Gaussian kernel with gamma = 1. Compared with SMO, started from its last solution, at "
        "every breakpoint of the path, to a tolerance of 1e-3."
    ),
    "toy": (
        "Section 4.1, Figures 4 to 7. The same data, n = 400, with 1000 rows to validate on: the "
        "data, paths of six coefficients, and the exact validation error against C1, the weight "
        "of the rows whose misclassification costs 1; that of the rows of cost 2 stays at 10."
    ),
    "online": (
        "Section 4.2, Figures 8 to 10. The NASDAQ composite index, five features (its Table 2): "
        "will it rise in five days? A window of 2515 days with sigmoid weights, a = 3; five days "
        "arrive and five depart, five times. gamma of 10, 1 and 0.1, C0 from 1 to 1e4, average of "
        "10 runs. Kernel values are forgotten before every change."
    ),
    "covariate-shift": (
        "Section 4.3, Figure 11. Brain signals of the Berlin group, 24 tasks of two classes, 4 "
        "features, some 500 to 1000 training rows and 200 to 300 test rows. The weights go from "
        "equal ones to the importance. SMO at each breakpoint of the path, and at 100 places."
    ),
    "heteroscedastic": (
        "Section 5.1.2, Figures 13 and 14. Boston housing, 404 of its 506 rows at random, ten "
        "times; epsilon = 0.05. The weights are set to sigma/|residual|, and the solution is "
        "updated, until the residuals change by at most 1e-3 in the mean; updates are timed and "
        "counted."
    ),
    "ranking": (
        "Section 5.2.2, Figures 16 to 18. OHSUMED of LETOR 3.0, 106 queries, 16140 documents, 45 "
        "features, five folds; from equal pair weights C0 to C0(2^y_i - 2^y_j), C0 from 1e-5 to "
        "1e-1. SMO that changes one pair a step, at only 10 weights on the way as it took long."
    ),
    "transduction": (
        "Section 5.3.2, Figure 19. Spambase, 4601 mails with 57 features, of which 10 % are "
        "labelled; Joachims' transductive algorithm, its changes of weights and of labels by the "
        "path and by SMO; average and standard deviation of 10 runs."
    ),
}

# What it says came out.
CLAIMS = {
    "schematic": (
        Claim("Section 3.2", "The event points lie on the border of critical regions."),
        Claim("Section 5.2.1", "The NDCG changes only where two lines intersect."),
    ),
    "table1": (
        Claim("Section 4.1", "The path is faster than SMO by one or two orders of magnitude."),
        Claim("Section 4.1", "The difference grows with n."),
        Claim("Section 4.1", "The number of events increases almost linearly with n."),
        Claim("Section 4.1", "The mean size of the margin increases very mildly with n."),
    ),
    "toy": (
        Claim("Section 4.1", "The lowest validation error was at around C1 = 4."),
        Claim(
            "Section 4.1",
            "Of three coefficients whose weight moves all grow with C1; one suddenly drops to zero "
            "at around C1 = 7, one drops sharply at around 9, one stays equal to C1 up to 10.",
        ),
        Claim(
            "Section 4.1",
            "Of three whose weight stays, one fluctuates significantly, two are more stable and "
            "tend to increase.",
        ),
    ),
    "online": (Claim("Section 4.2", "The path is much faster than SMO, especially for large C0."),),
    "covariate-shift": (
        Claim("Section 4.3", "The path is faster than SMO in all cases."),
        Claim("Section 4.3", "SMO tends to take longer for large C0."),
        Claim("Section 4.3", "The time of the path does not increase with C0."),
    ),
    "heteroscedastic": (
        Claim("Section 5.1.2", "The path is faster than SMO, especially for large C0."),
    ),
    "ranking": (
        Claim("Section 5.2.2", "The path is faster than SMO at 10 weights in all settings."),
        Claim(
            "Section 5.2.2",
            "At gamma = 10 the time of the path increases with C0, as breakpoints and margin do.",
        ),
        Claim("Section 5.2.2", "At most about one hundred pairs are on the margin."),
    ),
    "transduction": (
        Claim("Section 5.3.2", "The path is consistently faster than SMO in all settings."),
    ),
}
