"""A window of two classes that slides: its hinges before and after, made in one pass.

What :meth:`~weightpath.estimators.kernel_problem.KernelProblem.exchange` does in general, step by
step, costs more than the path itself where a single row arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.estimators._row_weights import slid_hinges
from weightpath.estimators.checks import check_kernel
from weightpath.estimators.kernel_problem import can_go
from weightpath.estimators.problem import Arrivals, Fitted, Trip
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import Reading
from weightpath.problems import Staircase
from weightpath.problems.hinge import hinge_levels
from weightpath.problems.staircase import FAR

if TYPE_CHECKING:
    from weightpath.estimators.classification import HingeProblem

__all__ = ["window_trip"]


def window_trip(
    problem: HingeProblem,
    fitted: Fitted,
    arrivals: Arrivals,
    drop: int,
    final: NDArray[np.float64],
    n_gone: int,
) -> Trip | None:
    """Return the trip of a window; ``None`` where it is not as simple as most windows are.

    Parameters
    ----------
    problem : HingeProblem
        What is minimised.
    fitted : Fitted
        Where the model is.
    arrivals : Arrivals
        The new rows, with margins of one.
    drop : int
        How many of the oldest rows lose their weights.
    final : ndarray
        The sample weights of all others at the end, checked.
    n_gone : int
        So many of the first rows have lost their weights before, and are gone where it starts.
    """
    training = fitted.training
    roomy = training.roomy
    if roomy is None or training.per_row or not isinstance(arrivals.X, np.ndarray):
        return None
    if problem.balanced or len(problem.classes) > 2:
        return None
    n, n_new = len(training) - n_gone, len(arrivals.labels)
    if 2 * drop > n or len(final) != n - drop + n_new or (n_gone and not can_go(fitted, n_gone)):
        return None
    weight, margin = fitted.quantities["weight"], fitted.quantities["margin"]
    labels, rows, knots, scales, plain = slid_hinges(
        training.labels[n_gone:],
        arrivals.labels,
        margin[n_gone:],
        weight[n_gone:],
        final,
        problem.C,
        problem.class_weight,
        drop,
    )
    if not plain or max(scales) >= FAR:
        # What is wrong with the weights is told elsewhere.
        return None
    for array in (labels, rows, knots):
        array.setflags(write=False)
    sign, margin, target, before, after = rows
    roomy = roomy.followed_by(arrivals.X, n_gone)
    larger = TrainingSet(roomy.X, training.kernel, labels, training.ridge, {}, roomy)
    start, end = (
        Staircase.of_own(target, own, hinge_levels(len(labels)), scales=(scales[0], largest))
        for own, largest in zip(knots, scales[1:], strict=True)
    )
    (subproblem,) = fitted.subproblems
    columns = subproblem.columns.slide(roomy.X, n_gone, n_new)
    check_kernel(training.kernel, columns, training.ridge, n_known=n)
    numbers = subproblem.rows if n_gone == n_new else np.arange(len(labels))
    there: Any = subproblem.enlarge(columns, numbers, Reading.of_own("svc", sign), start, n_gone)
    here = Fitted(larger, problem, {"weight": before, "margin": margin}, (there,))
    quantities = {"weight": after, "margin": margin}
    return Trip(here, problem, quantities, slice(drop, len(labels)), end)
