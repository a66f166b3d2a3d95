"""scikit-learn-intelex, oneDAL inside, fitted from nothing at every place.

Its classes are called directly: scikit-learn's own are not patched.
"""

from __future__ import annotations

from benchmarks.contest.solvers.sklearn_refits import SklearnRefits


class IntelexRefits(SklearnRefits):
    """``sklearnex.svm.SVC.fit`` or ``SVR.fit`` in one thread."""

    name = "intelex"
    label = "scikit-learn-intelex, cold"
    module = "sklearnex"
    remedy = "pip install scikit-learn-intelex"
    options = {"n_jobs": 1}  # noqa: RUF012

    def estimators(self):
        from sklearnex.svm import SVC, SVR

        return SVC, SVR
