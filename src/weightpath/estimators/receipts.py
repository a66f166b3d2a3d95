"""Receipts of removals: what was removed, and the proof that the model is optimal without it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.engine import Options, solve
from weightpath.estimators.problem import COLUMN_SHARE, Fitted
from weightpath.estimators.row_names import names_of_training
from weightpath.estimators.training_set import TrainingSet
from weightpath.path.certificate import duality_gap, kkt_violation
from weightpath.problems.scales import reach_of
from weightpath.small_tables import html_table

__all__ = ["Removal", "RemovalReceipt"]

STATEMENT = (
    "The model is the solution of its training problem on the rows that are left, within the bound "
    "that the certificate proves. This says nothing of copies of the rows elsewhere, nor of models "
    "or predictions made before, and it is not differential privacy: who knows the model before "
    "and after may learn about the rows that were removed."
)

# Memory in MB for the columns of a refit.
_CACHE_MB = 200.0


@dataclass(frozen=True)
class RemovalReceipt:
    r"""What the last ``remove`` of a model took out, and what proves it.

    Attributes
    ----------
    estimator : str
        The class of the model.
    version : str
        The version of this library.
    indices : tuple of int
        The rows that were removed, as numbered before.
    names : tuple or None
        Their names, if the training rows had any.
    rows_hash : str
        SHA-256 of what was removed: features, labels and quantities such as weights.
    n_before, n_after : int
        How many rows there were and are.
    violation_before, violation_after : float
        How far the model was and is from optimal, computed from the data; see
        :meth:`weightpath.SolutionPath.kkt_violation`.
    gap_before, gap_after : float
        The duality gaps.
    distance_bound : float
        A proven bound of the distance between the model and the exact solution on the rows that are
        left, which any refit approximates, in the norm of the kernel:
        :math:`\sqrt{2\,\text{gap}}`. The value at a row x differs by at most this times
        :math:`\sqrt{k(x, x)}`, besides the intercept; of a lasso it bounds the root mean square of
        the differences of its predictions on the training rows.
    data_hash : str
        SHA-256 of the training data that are left.
    model_hash : str
        SHA-256 of the model after the removal: data, kernel, quantities, coefficients.
    refit_difference : float or None
        The largest difference, at the training rows that are left, to a solution that was computed
        from nothing; if it was asked for.
    statement : str
        What this means, and what it does not.
    """

    estimator: str
    version: str
    indices: tuple[int, ...]
    names: tuple[Any, ...] | None
    rows_hash: str
    n_before: int
    n_after: int
    violation_before: float
    violation_after: float
    gap_before: float
    gap_after: float
    distance_bound: float
    data_hash: str
    model_hash: str
    refit_difference: float | None = None
    statement: str = STATEMENT

    def __repr__(self) -> str:
        return (
            f"<RemovalReceipt: {self.n_before - self.n_after} of {self.n_before} rows of a "
            f"{self.estimator}, violation {self.violation_after:.2g}, "
            f"model {self.model_hash[:12]}>"
        )

    def _repr_html_(self) -> str:
        return html_table(
            "Removal receipt",
            [(name.replace("_", " "), value) for name, value in self.to_dict().items()],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as a dictionary of plain values.

        Returns
        -------
        dict
        """
        found = asdict(self)
        found["indices"] = list(self.indices)
        found["names"] = None if self.names is None else list(self.names)
        return found

    def to_json(self, **options: Any) -> str:
        """Return the receipt as JSON, keys in order.

        Parameters
        ----------
        **options
            Passed to :func:`json.dumps`, such as ``indent=2``.

        Returns
        -------
        str
        """
        return json.dumps(self.to_dict(), **{"sort_keys": True, **options})

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """Return the receipt that a dictionary describes.

        Parameters
        ----------
        found : dict
            As ``to_dict`` makes it, or :func:`json.loads` of ``to_json``.

        Returns
        -------
        RemovalReceipt
        """
        names = found["names"]
        return cls(
            **{
                **found,
                "indices": tuple(found["indices"]),
                "names": None if names is None else tuple(names),
            }
        )


@dataclass(frozen=True, eq=False)
class Removal:
    """A removal of which the receipt is made when it is asked for.

    Attributes
    ----------
    estimator : str
        The class of the model.
    indices : ndarray of int
        The rows that went.
    before, after : Fitted
        Where the model was and is.
    """

    estimator: str
    indices: NDArray[np.intp]
    before: Fitted
    after: Fitted

    def receipt(self, refit: bool = False) -> RemovalReceipt:
        """Return the receipt; with ``refit`` the model is compared to one computed from nothing."""
        names = names_of_training(self.before.training)
        violation_before, gap_before = _certificate(self.before)
        violation_after, gap_after = _certificate(self.after)
        return RemovalReceipt(
            self.estimator,
            version("weightpath"),
            tuple(self.indices.tolist()),
            None if names is None else tuple(_plain(name) for name in names[self.indices].tolist()),
            _hash(_of_rows(self.before, self.indices)),
            len(self.before.training),
            len(self.after.training),
            violation_before,
            violation_after,
            gap_before,
            gap_after,
            float(np.sqrt(2.0 * gap_after)),
            _hash(_of_rows(self.after, None)),
            _hash(_of_model(self.after)),
            _refit_difference(self.after) if refit else None,
        )


def _certificate(fitted: Fitted) -> tuple[float, float]:
    """Return the largest violation and the largest duality gap of all subproblems, from the data.

    Each function is bounded by its own gap.
    """
    violation, gap = 0.0, 0.0
    for subproblem in fitted.subproblems:
        response, diagonal = fitted.problem.response(fitted.training, subproblem)
        stair, state = subproblem.stair, subproblem.state
        found = kkt_violation(stair, state.beta, state.bias, response, reach_of(diagonal))
        violation = max(violation, float(found))
        gap = max(gap, duality_gap(stair, state.beta, state.bias, response))
    return violation, gap


def _refit_difference(fitted: Fitted) -> float:
    """Return how far the functions are, at their rows, from solutions computed from nothing."""
    worst = 0.0
    for subproblem in fitted.subproblems:
        columns = fitted.problem.columns(fitted.training, subproblem.rows, COLUMN_SHARE * _CACHE_MB)
        options = Options(ridge=fitted.training.ridge)
        fresh = solve(columns, subproblem.stair, options=options, centered=True)
        own = subproblem.state
        # Values of the function are targets minus residuals.
        worst = max(worst, float(np.abs(fresh.residual - own.residual).max(initial=0.0)))
    return worst


# Hashes --------------------------------------------------------------------------------------


def _of_rows(fitted: Fitted, indices: NDArray[np.intp] | None) -> Iterable[tuple[str, Any]]:
    """Yield what belongs to some rows of the training set, or to all."""
    training = fitted.training
    chosen: Any = slice(None) if indices is None else indices
    yield "X", training.X[chosen]
    yield "labels", training.labels[chosen]
    for name, values in sorted(training.per_row.items()):
        if values.dtype != object:
            yield name, values[chosen]
    for name, values in sorted(fitted.quantities.items()):
        if len(values) == len(training) and _belongs_to_rows(fitted):
            yield name, values[chosen]


def _belongs_to_rows(fitted: Fitted) -> bool:
    return fitted.subproblems[0].reading.meaning.rows_are == "instances"


def _of_model(fitted: Fitted) -> Iterable[tuple[str, Any]]:
    """Yield all that decides what a model predicts."""
    yield from _of_rows(fitted, None)
    yield "kernel", _kernel_words(fitted.training)
    yield "problem", type(fitted.problem).__name__
    for name, values in sorted(fitted.quantities.items()):
        yield f"quantity {name}", values
    for subproblem in fitted.subproblems:
        yield "rows", subproblem.rows
        yield "coefficients", subproblem.state.beta
        yield "bias", np.array([subproblem.state.bias])


def _kernel_words(training: TrainingSet) -> str:
    kernel = training.kernel
    numbers = [float(kernel.gamma).hex(), kernel.degree, float(kernel.coef0).hex()]
    return f"{kernel.name} {numbers} {float(training.ridge).hex()}"


def _hash(parts: Iterable[tuple[str, Any]]) -> str:
    """Return the SHA-256 of named arrays and words; equal on all machines for equal values."""
    digest = sha256()
    for name, value in parts:
        if issparse(value):
            arrays: list[Any] = [value.data, value.indices, value.indptr]
            kind = f"sparse {value.shape}"
        elif isinstance(value, str):
            arrays, kind = [], value
        else:
            arrays, kind = [value], "dense"
        digest.update(f"{name}: {kind}\n".encode())
        for array in arrays:
            # Whole numbers of any size, and numbers, in one form each.
            form = "<i8" if array.dtype.kind in "iub" else "<f8" if array.dtype.kind == "f" else ""
            plain = (
                np.ascontiguousarray(array, dtype=form)
                if form
                else np.array([str(one) for one in array.ravel()])
            )
            digest.update(f"{plain.shape} {plain.dtype.str}\n".encode())
            digest.update(plain.tobytes())
    return digest.hexdigest()


def _plain(name: Any) -> Any:
    """Return a name as JSON can hold it."""
    return name if isinstance(name, str | int | float | None) else str(name)
