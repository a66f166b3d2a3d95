"""From the model of labelled rows to one of all rows, and from its moves to paths to keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from weightpath.applications.provisional_labels import SwitchResult
from weightpath.applications.unlabelled_input import PartlyLabelled
from weightpath.estimators import SVC
from weightpath.estimators.problem import Fitted, Trip
from weightpath.estimators.snapshot import Snapshot
from weightpath.estimators.solved_elsewhere import fit_from
from weightpath.path import SolutionPath

__all__ = ["all_rows_model", "first_labels", "kept_path"]


def first_labels(
    data: PartlyLabelled,
    initial: SVC,
    columns: slice | NDArray[np.intp],
    positive_fraction: float | None,
) -> NDArray[np.float64]:
    """Return labels, +1 or -1, of all rows: the greatest values of the first model are +1.

    Parameters
    ----------
    data : PartlyLabelled
        The rows.
    initial : SVC
        The model of the labelled rows.
    columns : slice or ndarray of int
        Columns of the rows that this model takes.
    positive_fraction : float or None
        How many of the unlabelled rows are positive; as many as of the labelled ones if None.
    """
    sign, rows = data.sign.copy(), data.unlabelled
    if rows.size == 0:
        return sign
    if positive_fraction is None:
        positive_fraction = float((sign[data.labelled] > 0).mean())
    n_positive = int(np.floor(positive_fraction * rows.size + 0.5))
    value = initial.decision_function(data.X[rows][:, columns])
    sign[rows] = -1.0
    sign[rows[np.argsort(-value, kind="stable")[:n_positive]]] = 1.0
    return sign


def all_rows_model(svc: SVC, data: PartlyLabelled, sign: NDArray[np.float64], initial: SVC) -> SVC:
    """Return the model of the labelled rows on all rows, the others at zero weight.

    Parameters
    ----------
    svc : SVC
        To be made that model.
    data : PartlyLabelled
        The rows.
    sign : ndarray of shape (n,)
        Labels of all rows, +1 or -1.
    initial : SVC
        The model of the labelled rows.
    """
    weight = (data.sign != 0).astype(float)
    labels = data.classes[(sign > 0).astype(np.intp)]
    (known,) = initial.subproblems_
    beta = np.zeros(data.X.shape[0])
    beta[data.labelled] = known.state.beta
    fit_from(svc, (beta, known.state.bias), data.X, labels, weight, None)
    return svc


class BothLabels:
    """Says why there is no model in the middle of a switch."""

    def model_from(self, path: SolutionPath, theta: float) -> NoReturn:
        """Raise: the rows that switch have both labels there."""
        raise ValueError(
            "On the way from one label to the other a row has both, which no SVC can hold: "
            "a path that switches labels has solutions everywhere, path.at(theta), but no models."
        )


def kept_path(
    svc: SVC,
    result: SwitchResult,
    kind: str,
    sign: NDArray[np.float64],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
) -> SolutionPath:
    """Return a move as a path to keep.

    Parameters
    ----------
    svc : SVC
        The model on all rows.
    result : SwitchResult
        The move.
    kind : str
        "weights" or "switch".
    sign : ndarray of shape (n,)
        Labels after it.
    start, end : ndarray of shape (n,)
        Weights before and after it.
    """
    template: Snapshot | BothLabels = BothLabels()
    training = svc.training_set_
    params: dict[str, Any] = {}
    if kind == "weights":
        here, there = ({**svc.quantities_, "weight": weight} for weight in (start, end))
        labelled = replace(training, labels=(sign > 0).astype(np.intp))
        standing = Fitted(labelled, svc.problem_, here, ())
        template = Snapshot.of(svc, Trip(standing, svc.problem_, there))
        params = template.to_params()
    return SolutionPath(
        [result.path(training)],
        training.X,
        training.kernel,
        classes=svc.classes_,
        params=params,
        template=template,
    )
