"""From what a user gives for many paths to the quantities that change on each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from weightpath import tolerances
from weightpath.estimators._row_weights import (
    are_all_positive,
    changed_entries,
    changed_weights,
    first_wrong,
)
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.selection.kernel_branches import Changes

__all__ = ["changes_from"]

Reals = NDArray[np.float64]

# Taking all of a weight away leaves nothing, whatever the rounding.
_ROUNDING = tolerances.KNOT_ROUNDINGS * float(np.finfo(np.float64).eps)

# What weights or targets of some instances are in the quantities of the model: multiples of them.
Convert = Callable[[Reals, NDArray[np.intp]], Reals]


def changes_from(where: Fitted, sample_weight: Any, y: Any) -> Changes:
    """Return what changes on each of many paths, checked.

    Parameters
    ----------
    where : Fitted
        Where the model is.
    sample_weight, y : array-like of shape (k, n_samples), sparse array or None
        The weights and targets at the ends, or their changes.
    """
    problem: Any = where.problem
    if y is not None and "y" not in problem.moves:
        raise TypeError("y can be moved for regressors only; classes do not move along a line.")
    if problem.removal_concerns == "staircases":
        return _rebalanced(where, sample_weight)
    labels = where.training.labels
    parts = []
    if sample_weight is not None:
        rule = _Reader("sample_weight", "weight", where)
        parts.append(rule.read(sample_weight, lambda w, i: problem.weights(w, labels[i])))
    if y is not None:
        parts.append(_Reader("y", "target", where).read(y, lambda values, _: values))
    changes = parts[0]
    for other in parts[1:]:
        changes = _joined(changes, other, where.quantities)
    _check(where, changes)
    return changes


class _Reader:
    """Reads one quantity of many paths.

    Parameters
    ----------
    name : str
        What the user calls it.
    quantity : str
        What the model calls it.
    where : Fitted
        Where the model is.
    """

    def __init__(self, name: str, quantity: str, where: Fitted) -> None:
        self.name, self.quantity, self.n = name, quantity, len(where.training)
        self.now = where.quantities[quantity]

    def read(self, given: Any, convert: Convert) -> Changes:
        """Return what changes; ``convert`` takes values of some instances to the quantity."""
        if issparse(given):
            if given.format != "csr" or given.dtype != np.float64:
                given = csr_array(given, dtype=np.float64)
            return self._of_changes(given, convert)
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.name} must be numbers of shape (k, {self.n}).") from error
        self._check_shape(values)
        factor = convert(np.ones(self.n), np.arange(self.n))
        offset, instance, after, are_finite, is_negative = changed_entries(
            np.ascontiguousarray(values), factor, np.ascontiguousarray(self.now)
        )
        self._refuse(are_finite, is_negative)
        return Changes(offset, instance, {self.quantity: after})

    def _of_changes(self, given: Any, convert: Convert) -> Changes:
        """Return what changes by entries that are added."""
        self._check_shape(given)
        self._refuse(first_wrong(given.data)[0] < 0)
        if not given.has_canonical_format:
            given = given.copy()
            given.sum_duplicates()
        instance = given.indices.astype(np.intp)
        change = convert(given.data, instance)
        if self.quantity == "weight":
            values, is_negative = changed_weights(self.now, instance, change, _ROUNDING)
            self._refuse(True, is_negative)
        else:
            values = self.now[instance] + change
        return Changes(given.indptr.astype(np.intp), instance, {self.quantity: values})

    def _check_shape(self, values: Any) -> None:
        if values.ndim != 2 or values.shape[1] != self.n:
            raise ValueError(
                f"{self.name} has shape {values.shape}, expected (k, {self.n}): a row for each "
                "path, with one entry for each instance."
            )

    def _refuse(self, are_finite: bool, is_negative: bool = False) -> None:
        if not are_finite:
            raise ValueError(f"{self.name} contains NaN or infinity.")
        if is_negative and self.quantity == "weight":
            raise ValueError(
                f"{self.name} must not be negative on any path. Zero takes an instance out."
            )


def _joined(one: Changes, other: Changes, now: Quantities) -> Changes:
    """Return what changes where two quantities do."""
    if len(one) != len(other):
        raise ValueError(f"sample_weight has {len(one)} rows and y has {len(other)}: one per path.")
    n = len(now["weight"])
    keys = [
        np.repeat(np.arange(len(part)), np.diff(part.offset)) * n + part.instance
        for part in (one, other)
    ]
    both = np.union1d(*keys)
    path, instance = np.divmod(both, n)
    quantities = {}
    for part, key in zip((one, other), keys, strict=True):
        for name, values in part.quantities.items():
            quantities[name] = now[name][instance]
            quantities[name][np.searchsorted(both, key)] = values
    offset = np.searchsorted(path, np.arange(len(one) + 1)).astype(np.intp)
    return Changes(offset, instance.astype(np.intp), quantities)


def _check(where: Fitted, changes: Changes) -> None:
    """Raise unless a model exists at the end of every path."""
    if "weight" not in changes.quantities:
        return
    weight, labels = where.quantities["weight"], where.training.labels
    after, k, instance = changes.quantities["weight"], len(changes), changes.instance
    if are_all_positive(after):
        # No instance loses its weight.
        return
    path = np.repeat(np.arange(k), np.diff(changes.offset))
    # How many instances with a weight every class has, at the end of every path.
    now = np.bincount(labels[weight > 0])
    more = (after > 0.0).astype(np.intp) - (weight[instance] > 0.0)
    count = np.bincount(path * len(now) + labels[instance], more, minlength=k * len(now))
    few = (count.reshape(k, len(now)) + now <= 0) & (now > 0)
    short = np.asarray(few.any(axis=1))
    short[path[~np.isfinite(after)]] = True
    for number in np.flatnonzero(short).tolist():
        where.problem.check(changes.quantities_of(number, where.quantities), labels)


def _rebalanced(where: Fitted, sample_weight: Any) -> Changes:
    """Return what changes where the weights of classes are balanced: mostly all weights."""
    problem: Any = where.problem
    labels, now = where.training.labels, where.quantities["weight"]
    rule = _Reader("sample_weight", "weight", where)
    plain = rule.read(sample_weight, lambda w, i: problem.weights(w, labels[i]))
    instances, values, problems = [], [], []
    for k in range(len(plain)):
        quantities = plain.quantities_of(k, where.quantities)
        problem.check(quantities, labels)
        there, quantities = problem.rebalanced(labels, quantities)
        problems.append(there)
        differ = np.flatnonzero(quantities["weight"] != now)
        instances.append(differ)
        values.append(quantities["weight"][differ])
    offset = np.cumsum([0, *map(len, instances)], dtype=np.intp)
    if not instances:
        return plain
    weight = np.concatenate(values)
    return Changes(
        offset, np.concatenate(instances).astype(np.intp), {"weight": weight}, tuple(problems)
    )
