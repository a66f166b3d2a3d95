"""Documents that come and go: their pairs come with weight zero, and go when it is zero again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from weightpath.engine import COMPLETE
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_kernel, check_whole_number, products
from weightpath.estimators.parts import Part
from weightpath.estimators.preferences import (
    check_queries,
    check_relevance,
    operator,
    resolve_pair_weight,
    transfer_state,
)
from weightpath.estimators.training_matrix import rows_of, with_rows
from weightpath.path import SolutionPath
from weightpath.problems import PreferencePairs, ranking_staircase

__all__ = ["DocumentExchange"]


class DocumentExchange(PathEstimator):
    """A ranking model whose documents can change."""

    _preferences: PreferencePairs
    _query: np.ndarray
    pair_weight: object
    C_: float

    def add(self, X, y, qid=None, pair_weight=None) -> SolutionPath:
        """Add documents along an exact path: the weights of their pairs rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New documents. For a precomputed kernel, the kernel values with all training documents
            and then with the new ones.
        y : array-like of shape (n_new,)
            Their relevances.
        qid : array-like of shape (n_new,) or None, default=None
            Their queries, old or new ones. Without, the model must have been fitted without.
        pair_weight : {"uniform", "relevance"}, callable, array-like or None, default=None
            Weights of all pairs afterwards. If not given, present pairs keep theirs, and new ones
            have those of the parameter ``pair_weight``, which must not be an array then.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new documents come last.
        """
        check_is_fitted(self)
        keep = np.ones(self._X.shape[0], dtype=bool)
        X, y, query = self._arrivals(X, y, qid)
        return self._exchange(X, y, query, keep, pair_weight)

    def remove(self, indices) -> SolutionPath:
        """Take documents out along an exact path: the weights of their pairs go to zero.

        Parameters
        ----------
        indices : int or array-like of int
            Rows of the training set, negative ones from its end.

        Returns
        -------
        SolutionPath
            The path on the training set as it was.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        index = np.atleast_1d(np.asarray(indices))
        if index.size == 0 or index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
            raise ValueError(f"indices must be row numbers, at least one; got {indices!r}.")
        outside = index[(index < -n) | (index >= n)]
        if outside.size:
            raise IndexError(
                f"There is no training document {outside[0]}: the rows are 0 to {n - 1}."
            )
        keep = np.ones(n, dtype=bool)
        keep[index] = False
        return self._exchange(None, None, None, keep, None)

    def slide(self, X, y, qid=None, drop=0, pair_weight=None) -> SolutionPath:
        """Add documents, drop the oldest and change the weights of pairs, on one exact path.

        Parameters
        ----------
        X, y, qid
            Arrivals, as in ``add``.
        drop : int, default=0
            How many of the first documents depart.
        pair_weight : {"uniform", "relevance"}, callable, array-like or None, default=None
            Weights of all pairs afterwards, as in ``add``.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing documents.
        """
        check_is_fitted(self)
        n = self._X.shape[0]
        keep = np.arange(n) >= check_whole_number("drop", drop, 0, n)
        X, y, query = self._arrivals(X, y, qid)
        return self._exchange(X, y, query, keep, pair_weight)

    def _arrivals(self, X, y, qid):
        """Return new documents, their relevances and queries, checked."""
        if self._kernel.name == "precomputed":
            X = check_array(X, dtype=np.float64, order="C", input_name="X")
        else:
            X = self._validate(X)
        y = check_relevance(np.asarray(y))
        if y.shape != (X.shape[0],):
            raise ValueError(f"y has shape {y.shape}, expected ({X.shape[0]},).")
        if qid is None and self._query.any():
            raise ValueError("The model was fitted with queries: give qid for new documents too.")
        query = check_queries(qid, X.shape[0])
        if (query.dtype.kind in "US") != (self._query.dtype.kind in "US"):
            raise ValueError(
                f"qid has values of type {query.dtype}, but the model was fitted with "
                f"{self._query.dtype}: numbers and texts are never the same query."
            )
        return X, y, query

    def _exchange(self, X_new, y_new, query_new, keep, pair_weight) -> SolutionPath:
        """Add documents, drop documents and change weights on one path."""
        part, old = self._ready_parts()[0], self._preferences
        X, y, query, joint = self._X, self._labels, self._query, old
        weight = self._quantities["weight"]
        if X_new is not None:
            X, y = with_rows(self._kernel, X, X_new), np.append(y, y_new)
            query = np.concatenate([query, query_new])
            joint = PreferencePairs.of(y, query)
            part, weight = self._enlarged(part, X, joint, weight)
        stays = np.append(keep, np.ones(X.shape[0] - len(keep), dtype=bool))
        after = PreferencePairs.of(y[stays], query[stays])
        if len(after) == 0:
            raise ValueError("No pair would be left: keep documents of different relevance.")
        number = np.where(stays, np.cumsum(stays) - 1, -1)
        kept = stays[joint.first] & stays[joint.second]
        final = self._final_weights(pair_weight, part, after, y[stays], weight[kept])
        end = np.zeros(len(joint))
        end[kept] = final
        self._check_quantities({"weight": final}, y)
        with self._all_or_nothing() as draft:
            # The draft travels on the joint documents; the path is of them.
            draft.__dict__.update(_preferences=joint, _query=query, _labels=y, _X=X)
            path, arrived = draft._travel(
                [part], X, y, {"weight": np.maximum(weight, 0.0)}, {"weight": end}, {}
            )
            if path.status != COMPLETE:
                draft.__dict__.update(self.__dict__)
                return path
            there = arrived[0]
            if not stays.all():
                there, X = self._reduced(there, X, joint, after, stays, number, final)
            draft.__dict__.update(
                _X=X,
                _labels=y[stays],
                _query=query[stays],
                _preferences=after,
                _parts=(there,),
                _quantities={"weight": final},
            )
            if self._kernel.name == "precomputed":
                draft.n_features_in_ = X.shape[1]
                draft.__dict__.pop("feature_names_in_", None)
            draft._publish()
        return path

    def _final_weights(self, pair_weight, part, after, y, present) -> np.ndarray:
        """Return the weights of the pairs that are there afterwards."""
        if pair_weight is not None:
            return products(self.C_, resolve_pair_weight(pair_weight, after, y))
        new = present == -1.0
        if not new.any():
            return present
        value = self.pair_weight
        if not (isinstance(value, str) or callable(value)):
            raise ValueError(
                "The parameter pair_weight is an array, which says nothing about new pairs: give "
                "pair_weight for all pairs afterwards."
            )
        return np.where(new, products(self.C_, resolve_pair_weight(value, after, y)), present)

    def _enlarged(self, part: Part, X, joint: PreferencePairs, weight):
        """Return the part with the pairs of new documents, and weights, -1 for those pairs."""
        n, old = self._X.shape[0], self._preferences
        source = np.append(np.arange(n), np.full(X.shape[0] - n, -1)).astype(np.intp)
        documents = part.columns.documents.handover(X, source, keep=False)
        check_kernel(self._kernel, documents, 0.0)
        columns = operator(self._kernel, X, joint, 0.0, documents)
        coef = np.zeros(X.shape[0])
        coef[:n] = old.gather(part.state.beta)
        values = np.asarray(documents.product(coef))
        state, origin = transfer_state(part.state, old, joint, np.arange(n), values)
        rows = np.arange(len(joint))
        start = np.where(origin >= 0, weight[origin], 0.0)
        enlarged = Part(
            rows, self._reading(rows, None, None), columns, ranking_staircase(start), state
        )
        return enlarged, np.where(origin >= 0, weight[origin], -1.0)

    def _reduced(self, part: Part, X, joint, after, stays, number, weight):
        """Return the part and the documents without those that went."""
        X_less = rows_of(self._kernel, X, np.flatnonzero(stays))
        documents = part.columns.documents.handover(
            X_less, np.flatnonzero(stays).astype(np.intp), keep=False
        )
        columns = operator(self._kernel, X_less, after, 0.0, documents)
        state, _ = transfer_state(part.state, joint, after, number, np.zeros(after.n_documents))
        rows = np.arange(len(after))
        reading = replace(part.reading, sign=np.ones(len(after)))
        return Part(rows, reading, columns, ranking_staircase(weight), state), X_less
