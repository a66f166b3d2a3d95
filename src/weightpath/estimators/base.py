"""What all estimators share: a model that can travel.

A fitted estimator holds *quantities*, one number for each training instance and each thing that
can move (weights, margins, ...), and *parts*, the staircase problems they define, each with its
exact solution. Every change is a path: the parts travel to the staircases of the new quantities,
and only when all have arrived does the estimator change. A call that fails, or is interrupted,
leaves it as it was.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.engine import COMPLETE, Options
from weightpath.errors import EventCapWarning
from weightpath.estimators.checks import check_number
from weightpath.estimators.parts import Part
from weightpath.estimators.snapshot import Snapshot
from weightpath.path import SolutionPath

__all__ = ["PathEstimator"]


class PathEstimator(BaseEstimator):
    """Base of the estimators; see the module's text. Subclasses define the problem."""

    # What a subclass defines ---------------------------------------------------------------

    def _staircase(self, rows, reading, quantities):
        """Return the staircase of one part."""
        raise NotImplementedError

    def _reading(self, rows, pair, labels):
        """Return the reading of one part."""
        raise NotImplementedError

    def _aim(self, targets: dict) -> tuple[dict, dict]:
        """Return the quantities that ``targets`` ask for, and attributes to set on arrival."""
        raise NotImplementedError

    def _check_quantities(self, quantities, labels) -> None:
        """Raise if no model exists at these quantities."""

    def _publish(self) -> None:
        """Set the public attributes of the solution."""
        raise NotImplementedError

    # The common methods --------------------------------------------------------------------

    def reweight(self, sample_weight) -> SolutionPath:
        """Follow the exact path to new instance weights; the model then sits there.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,)
            New weights, not negative. Zero takes an instance out; it can come back.

        Returns
        -------
        SolutionPath
            All solutions between the old weights (theta = 0) and the new ones (theta = 1).
        """
        return self.move(sample_weight=sample_weight)

    def move(self, **targets) -> SolutionPath:
        """Follow the exact path to new values of several quantities at once.

        All instance-wise quantities move on straight lines. See the estimator's documentation for
        what can be moved.

        Returns
        -------
        SolutionPath
        """
        check_is_fitted(self)
        if not targets:
            raise TypeError(
                f"move() needs something to move, for instance one of: {', '.join(self._moves)}."
            )
        unknown = sorted(set(targets) - set(self._moves))
        if unknown:
            raise TypeError(
                f"{type(self).__name__} cannot move {', '.join(unknown)}; it can move "
                f"{', '.join(self._moves)}."
            )
        quantities, attributes = self._aim(targets)
        self._check_quantities(quantities, self._labels)
        parts = self._ready_parts()
        path, arrived = self._travel(parts, self._X, self._labels, quantities, attributes)
        if path.status == COMPLETE:
            self._commit(arrived, quantities, attributes)
        return path

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
        if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
            raise ValueError(f"indices must be whole numbers, got {indices!r}.")
        if index.size == 0:
            raise ValueError("remove() needs at least one index.")
        if (index < -n).any() or (index >= n).any():
            raise IndexError(f"There are {n} training instances; got indices {indices!r}.")
        keep = np.ones(n, dtype=bool)
        keep[index] = False
        return self._exchange_rows(None, {}, keep, {})

    def _exchange_rows(self, X_new, new: dict, keep, final: dict) -> SolutionPath:
        """Add rows of zero weight, travel, drop rows of zero weight: one path.

        ``new`` has the labels and quantities of the arriving rows, ``keep`` says which of the old
        rows stay, ``final`` quantities replace those of all rows that are there afterwards.
        """
        n = self._X.shape[0]
        parts, X, labels, start = self._ready_parts(), self._X, self._labels, self._quantities
        end = {name: np.array(values) for name, values in start.items()}
        if X_new is not None:
            X, labels = self._joined(X_new), np.append(labels, new["labels"])
            zero = np.zeros(len(new["labels"]))
            start = {
                name: np.append(values, zero if name == "weight" else new[name])
                for name, values in start.items()
            }
            end = {name: np.append(end[name], new[name]) for name in end}
        stays = np.append(keep, np.ones(X.shape[0] - n, dtype=bool))
        for name, values in final.items():
            end[name][stays] = values
        end["weight"][~stays] = 0.0
        self._check_quantities({name: values[stays] for name, values in end.items()}, labels[stays])
        if X_new is not None:
            parts = self._enlarged(parts, X, labels, start)
        path, arrived = self._travel(parts, X, labels, end, {}, start)
        if path.status == COMPLETE:
            if not stays.all():
                arrived, X, labels, end = self._reduced(arrived, X, labels, end, stays)
            self._X, self._labels = X, labels
            self._commit(arrived, end, {})
        return path

    # Behind them ---------------------------------------------------------------------------

    def _options(self) -> Options:
        if not isinstance(self.max_events, (int, np.integer)) or self.max_events < 1:
            raise ValueError(f"max_events must be an integer >= 1, got {self.max_events!r}.")
        return Options(
            ridge=check_number("ridge", self.ridge, strict=False), max_events=int(self.max_events)
        )

    def _validate(self, X, y="no_validation", reset=False):
        arguments = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", "reset": reset}
        if isinstance(y, str):
            X = validate_data(self, X, **arguments)
            return csr_matrix(X) if issparse(X) else X
        X, y = validate_data(self, X, y, **arguments)
        return (csr_matrix(X) if issparse(X) else X), y

    def _columns(self, X, rows, n_parts):
        own = X[rows]
        if self._kernel.name == "precomputed":
            own = own[:, rows]
        cache = check_number("cache_size", self.cache_size)
        return self._kernel.columns(own, cache / n_parts)

    def _ready_parts(self) -> list[Part]:
        """Return the parts with their columns (which a copy of the model may lack)."""
        parts = list(self._parts)
        for k, part in enumerate(parts):
            if part.columns is None:
                columns = self._columns(self._X, part.rows, len(parts))
                parts[k] = replace(part, columns=columns)
        self._parts = tuple(parts)
        return parts

    def _travel(self, parts, X, labels, quantities, attributes, start=None):
        """Follow all parts to the new quantities; return the path and the parts there."""
        options = self._options()
        arrived, traced, status = [], [], COMPLETE
        for part in parts:
            end = self._staircase(part.rows, part.reading, quantities)
            there, trace = part.travel(end, options)
            arrived.append(there)
            traced.append(part.path(self._kernel, X, end, trace, options.ridge))
            if trace.status != COMPLETE:
                status = trace.status
        if status != COMPLETE:
            warnings.warn(f"{status.message} The model stays where it was.", EventCapWarning, 4)
        snapshot = Snapshot.of(
            self, labels, self._quantities if start is None else start, quantities, attributes
        )
        path = SolutionPath(
            traced,
            X,
            self._kernel,
            classes=getattr(self, "classes_", None),
            pairs=self._pairs if len(parts) > 1 else None,
            params=snapshot.to_params(),
            status=status,
            template=snapshot,
        )
        return path, tuple(arrived)

    def _commit(self, parts, quantities, attributes) -> None:
        self._parts = tuple(parts)
        self._quantities = quantities
        for name, value in attributes.items():
            setattr(self, name, value)
        self._publish()

    def _joined(self, X_new):
        """Return the training matrix with new rows."""
        if self._kernel.name == "precomputed":
            n, k = self._X.shape[0], X_new.shape[0]
            if X_new.shape[1] != n + k:
                raise ValueError(
                    f"For a precomputed kernel, new rows hold the kernel values with the {n} "
                    f"training instances and then with the {k} new ones: expected {n + k} columns, "
                    f"got {X_new.shape[1]}."
                )
            old = np.hstack([self._X, X_new[:, :n].T])
            return np.ascontiguousarray(np.vstack([old, X_new]))
        if issparse(self._X) or issparse(X_new):
            return csr_matrix(vstack([csr_matrix(self._X), csr_matrix(X_new)]))
        return np.ascontiguousarray(np.vstack([self._X, X_new]))

    def _handed_over(self, part, X, rows, source):
        own = X[rows]
        if self._kernel.name == "precomputed":
            own = own[:, rows]
        if issparse(X) != issparse(self._X):
            return self._columns(X, rows, len(self._parts))
        return part.columns.handover(own, source)

    def _enlarged(self, parts, X, labels, quantities) -> list[Part]:
        """Return the parts with the new rows, at zero weight."""
        n = self._X.shape[0]
        larger = []
        for part, pair in zip(parts, self._pairs, strict=True):
            new = n + np.flatnonzero(np.isin(labels[n:], pair))
            rows = np.append(part.rows, new)
            reading = self._reading(rows, pair, labels)
            stair = self._staircase(rows, reading, quantities)
            source = np.append(np.arange(len(part.rows)), np.full(len(new), -1)).astype(np.intp)
            columns = self._handed_over(part, X, rows, source)
            value = self._kernel.product(
                X[new][:, part.rows] if self._kernel.name == "precomputed" else X[new],
                X[part.rows],
                part.state.beta,
            )
            residual = stair.target[len(part.rows) :] - value - part.state.bias * stair.has_bias
            larger.append(part.enlarge(columns, rows, reading, stair, residual))
        return larger

    def _reduced(self, parts, X, labels, quantities, stays):
        """Return parts, training matrix, labels and quantities without the rows that went."""
        number = np.cumsum(stays) - 1
        kept = np.flatnonzero(stays)
        X_less = X[kept][:, kept] if self._kernel.name == "precomputed" else X[kept]
        if not issparse(X_less):
            X_less = np.ascontiguousarray(X_less)
        labels = labels[stays]
        quantities = {name: values[stays] for name, values in quantities.items()}
        smaller = []
        for part, pair in zip(parts, self._pairs, strict=True):
            keep = stays[part.rows]
            rows = number[part.rows[keep]]
            reading = self._reading(rows, pair, labels)
            stair = self._staircase(rows, reading, quantities)
            own = X_less[rows]
            if self._kernel.name == "precomputed":
                own = np.ascontiguousarray(own[:, rows])
            columns = part.columns.handover(own, np.flatnonzero(keep))
            smaller.append(part.reduce(keep, columns, rows, reading, stair))
        return tuple(smaller), X_less, labels, quantities
