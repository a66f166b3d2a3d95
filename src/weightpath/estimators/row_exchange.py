"""Instances that come and go.

Arrivals join with weight zero, which changes nothing; then all travel to the new quantities, the
departing ones to weight zero; then those are dropped, which again changes nothing. One path.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from weightpath.engine import COMPLETE
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_kernel, check_weights, check_whole_number
from weightpath.estimators.parts import Part
from weightpath.estimators.training_matrix import rows_of, with_rows
from weightpath.path import SolutionPath

__all__ = ["RowExchange"]


class RowExchange(PathEstimator):
    """An estimator whose training set can change; see the module's text."""

    def remove(self, indices) -> SolutionPath:
        """Take instances out along an exact path: their weights go to zero, then they are dropped.

        Parameters
        ----------
        indices : int or array-like of int
            Rows of the training set, negative ones from its end. The others keep their order.

        Returns
        -------
        SolutionPath
            The path on the training set as it was.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        index = np.atleast_1d(np.asarray(indices))
        if index.dtype == bool:
            raise ValueError("indices must be row numbers; of a mask take np.flatnonzero(mask).")
        if index.size == 0:
            raise ValueError("remove() needs at least one index.")
        if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
            raise ValueError(f"indices must be a list of whole numbers, got {indices!r}.")
        outside = index[(index < -n) | (index >= n)]
        if outside.size:
            raise IndexError(
                f"There is no training instance {outside[0]}: the rows are 0 to {n - 1}."
            )
        keep = np.ones(n, dtype=bool)
        keep[index] = False
        return self._exchange_rows(None, None, {}, keep, {})

    def _rebalanced(self, labels, quantities: dict) -> tuple[dict, dict]:
        """Return quantities of a changed training set, and attributes to set on arrival."""
        return quantities, {}

    def _own_weights(self, sample_weight, labels) -> np.ndarray:
        """Return the quantity "weight" of instances with these weights and labels."""
        raise NotImplementedError

    def _arriving(self, X):
        """Check new instances."""
        if self._kernel.name == "precomputed":
            return check_array(X, dtype=np.float64, order="C", input_name="X")
        return self._validate(X)

    def _window(self, drop, sample_weight, labels_new) -> tuple[np.ndarray, dict]:
        """Return which rows stay when a window slides, and the quantities that all have then."""
        n = self._X.shape[0]
        drop = check_whole_number("drop", drop, 0, n)
        final = {}
        if sample_weight is not None:
            after = np.append(self._labels[drop:], labels_new)
            weight = check_weights("sample_weight", sample_weight, len(after))
            final["weight"] = self._own_weights(weight, after)
        return np.arange(n) >= drop, final

    def _exchange_rows(self, X_new, labels_new, new: dict, keep, final: dict) -> SolutionPath:
        """Add rows, drop rows and change quantities on one path.

        Parameters
        ----------
        X_new : array, CSR matrix or None
            Arriving rows.
        labels_new : ndarray or None
            Their labels.
        new : dict
            Their quantities.
        keep : ndarray of bool
            Which of the present rows stay.
        final : dict
            Quantities that replace those of all rows that are there afterwards.
        """
        parts, X, labels, start = self._ready_parts(), self._X, self._labels, self._quantities
        end = start
        if X_new is not None:
            X, labels = with_rows(self._kernel, X, X_new), np.append(labels, labels_new)
            end = {name: np.append(values, new[name]) for name, values in start.items()}
            weightless = {**new, "weight": np.zeros(len(labels_new))}
            start = {name: np.append(values, weightless[name]) for name, values in start.items()}
        stays = np.append(keep, np.ones(X.shape[0] - len(keep), dtype=bool))
        after = {name: final.get(name, values[stays]) for name, values in end.items()}
        self._check_quantities(after, labels[stays])
        after, attributes = self._rebalanced(labels[stays], after)
        end = {name: np.array(values) for name, values in end.items()}
        for name, values in after.items():
            end[name][stays] = values
        end["weight"][~stays] = 0.0
        if X_new is not None:
            parts = self._enlarged(parts, X, labels, start)
        path, arrived = self._travel(parts, X, labels, start, end, attributes)
        if path.status == COMPLETE:
            if not stays.all():
                arrived, X, labels = self._reduced(arrived, X, labels, after, stays)
            with self._all_or_nothing() as draft:
                draft.__dict__.update(
                    attributes, _X=X, _labels=labels, _parts=arrived, _quantities=after
                )
                draft._forget_columns()
                draft._publish()
        return path

    def _forget_columns(self) -> None:
        """Correct what is known of the columns of a precomputed kernel: they have changed."""
        if self._kernel.name == "precomputed":
            self.n_features_in_ = self._X.shape[1]
            self.__dict__.pop("feature_names_in_", None)

    def _enlarged(self, parts, X, labels, quantities: dict) -> list[Part]:
        """Return the parts with the new rows, at zero weight."""
        n = self._X.shape[0]
        larger = []
        for part, pair in zip(parts, self._pairs, strict=True):
            new = n + np.flatnonzero(np.isin(labels[n:], pair))
            if new.size == 0:
                larger.append(part)
                continue
            rows = np.append(part.rows, new)
            sign = np.append(part.reading.sign, self._reading(new, pair, labels).sign)
            reading = replace(part.reading, sign=sign)
            stair = self._staircase(rows, reading, quantities)
            source = np.append(np.arange(len(part.rows)), np.full(len(new), -1)).astype(np.intp)
            own = rows_of(self._kernel, X, rows)
            columns = part.columns.handover(own, source, keep=False)
            check_kernel(self._kernel, columns, self._ridge)
            points = X[new][:, part.rows] if self._kernel.name == "precomputed" else X[new]
            value = self._kernel.product(points, X[part.rows], part.state.beta)
            residual = stair.target[len(part.rows) :] - value - part.state.bias * stair.has_bias
            larger.append(part.enlarge(columns, rows, reading, stair, residual))
        return larger

    def _reduced(self, parts, X, labels, quantities: dict, stays):
        """Return parts, training matrix and labels without the rows that went."""
        number = np.cumsum(stays) - 1
        X_less = rows_of(self._kernel, X, np.flatnonzero(stays))
        labels = labels[stays]
        smaller = []
        for part in parts:
            keep = stays[part.rows]
            rows = number[part.rows[keep]]
            reading = replace(part.reading, sign=part.reading.sign[keep])
            stair = self._staircase(rows, reading, quantities)
            columns = part.columns
            if not keep.all():
                own = rows_of(self._kernel, X_less, rows)
                columns = columns.handover(own, np.flatnonzero(keep), keep=False)
            smaller.append(part.reduce(keep, columns, rows, reading, stair))
        return tuple(smaller), X_less, labels
