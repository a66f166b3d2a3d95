"""What decision values stand for: classes, predictions or scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.votes import one_vs_rest_values, vote
from weightpath.problems.kind import kind_called

__all__ = ["Outputs", "outputs_of_path"]


def _nothing(name: str) -> list[NDArray[np.float64]]:
    return []


@dataclass(frozen=True, eq=False)
class Outputs:
    """What the decision values of a path or of a model stand for.

    A metric decides by these whether it is defined; it knows nothing else about the values.

    Parameters
    ----------
    classes : ndarray or None, default=None
        The labels of a classifier.
    pairs : sequence of (int, int) or None, default=None
        For three classes or more, the indices of the two classes that each decision function
        separates; a positive value is a vote for the first of them. With two classes there is one
        function, positive for the second.
    predicts : bool, default=True
        Without classes, whether values predict y, as those of a regression do. Otherwise they only
        rank the rows.
    told : callable
        From the name of a parameter of the loss to the values that it is known to have, as a list
        of arrays, empty if nothing is known.
    break_ties : bool, default=False
        Whether equal votes are decided by the sums of the decision values.
    one_vs_rest : bool, default=True
        Whether a model of several classes shows one value for each class, not for each pair.
    detects : bool, default=False
        Whether the sign of a value tells inliers (1, zero included) from outliers (-1).
    owner : str, default="path"
        Whose values these are, for messages.
    """

    classes: NDArray[Any] | None = None
    pairs: Sequence[tuple[int, int]] | None = None
    predicts: bool = True
    told: Callable[[str], list[NDArray[np.float64]]] = _nothing
    break_ties: bool = False
    owner: str = "path"
    one_vs_rest: bool = True
    detects: bool = False

    @classmethod
    def of_classes(
        cls, classes: NDArray[Any], *, break_ties: bool = False, owner: str = "path"
    ) -> Outputs:
        """Return what the decision values of a classifier of these classes stand for.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The labels, sorted.
        break_ties, owner
            As for the class.

        Returns
        -------
        Outputs
            With the pairs of classes in the order of scikit-learn: (0, 1), (0, 2), ...
        """
        n = len(classes)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)] if n > 2 else None
        return cls(classes, pairs, break_ties=break_ties, owner=owner)

    @property
    def n_classes(self) -> int:
        """Number of classes; zero if there are none."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_functions(self) -> int:
        """Number of decision functions."""
        return 1 if self.pairs is None else len(self.pairs)

    def __str__(self) -> str:
        if self.classes is None:
            return f"a {self.owner} without classes"
        if self.pairs is None:
            return f"a {self.owner} between two classes"
        return f"a {self.owner} with {len(self.classes)} classes, one against one"

    def predicted(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the predicted class of every row.

        Parameters
        ----------
        values : ndarray of shape (n_rows,) or (n_rows, n_functions)
            Decision values of a classifier.

        Returns
        -------
        ndarray of int, shape (n_rows,)
        """
        if self.pairs is None:
            return (values.reshape(len(values)) > 0).astype(np.intp)
        count = one_vs_rest_values if self.break_ties else vote
        return np.asarray(count(values, self.pairs, self.n_classes).argmax(axis=1), dtype=np.intp)

    def decision_values(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values as a model shows them.

        Parameters
        ----------
        values : ndarray of shape (..., n_rows) or, with pairs, (..., n_rows, n_functions)
            The values of all functions.

        Returns
        -------
        ndarray of shape (..., n_rows), (..., n_rows, n_classes) or (..., n_rows, n_functions)
            One value for each class, or as given.
        """
        if self.pairs is None or self.classes is None or not self.one_vs_rest:
            return values
        rows = values.reshape(-1, self.n_functions)
        shown = one_vs_rest_values(rows, self.pairs, self.n_classes)
        return shown.reshape(*values.shape[:-1], self.n_classes)

    def predictions(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return what the model predicts: class labels, values or scores, or 1 and -1.

        Parameters
        ----------
        values : ndarray of shape (..., n_rows) or, with pairs, (..., n_rows, n_functions)
            The values of all functions.

        Returns
        -------
        ndarray of shape (..., n_rows)
        """
        if self.classes is None:
            return np.where(values >= 0, 1, -1) if self.detects else values
        rows = values.reshape(-1) if self.pairs is None else values.reshape(-1, self.n_functions)
        shape = values.shape if self.pairs is None else values.shape[:-1]
        labels: NDArray[Any] = self.classes[self.predicted(rows)].reshape(shape)
        return labels


def outputs_of_path(path: Any) -> Outputs:
    """Return what the decision values of a path stand for.

    Parameters
    ----------
    path : SolutionPath

    Returns
    -------
    Outputs
    """
    kind, settings = kind_called(path.parts[0].reading.kind), path.params.get("params", {})
    return Outputs(
        path.classes,
        path.pairs,
        path.classes is None and kind.has_targets,
        partial(_told_by_path, path.params),
        break_ties=bool(settings.get("break_ties", False)),
        one_vs_rest=settings.get("decision_function_shape", "ovr") == "ovr",
        detects=kind.detects,
    )


def _told_by_path(params: Mapping[str, Any], name: str) -> list[NDArray[np.float64]]:
    """What is said of a quantity: row by row at both ends, or as an attribute, or a parameter."""
    ends = [params[end].get(name) for end in ("start", "end") if end in params]
    line = params.get("lines", {}).get(name + "_", ())
    for told in (ends, line, [params.get("params", {}).get(name)], [params.get(name)]):
        known = [np.ravel(value) for value in told if value is not None]
        known = [value.astype(float) for value in known if value.dtype.kind in "iuf"]
        if known:
            return known
    return []
