"""The weighted ranking support vector machine."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import Options
from weightpath.estimators.checks import check_kernel, check_number, products
from weightpath.estimators.document_exchange import DocumentExchange
from weightpath.estimators.parts import Part
from weightpath.estimators.preferences import (
    check_queries,
    check_relevance,
    operator,
    resolve_pair_weight,
)
from weightpath.estimators.progress import PathProgress
from weightpath.estimators.ranking_start import solve_ranking
from weightpath.metrics import Outputs
from weightpath.metrics.evaluator import Evaluator
from weightpath.path import Reading, SolutionPath
from weightpath.path.certificate import kkt_violation
from weightpath.path.pair_rows import PairRows
from weightpath.problems import PreferencePairs, ranking_staircase
from weightpath.problems.scales import reach_of

__all__ = ["RankingSVM"]


class RankingSVM(DocumentExchange, BaseEstimator):
    r"""Weighted ranking support vector machine with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_{(i, j)} C_{ij} \, [1 - (w'\phi(x_i) - w'\phi(x_j))]_+, \qquad
        C_{ij} = C \cdot \text{pair\_weight}_{ij} ,

    over all pairs of documents of one query of which the first is more relevant, and follows the
    solution exactly when the :math:`C_{ij}` change. Pairs are never formed: work and memory grow
    with the documents, so hundreds of thousands of pairs are no trouble.

    ``move`` takes ``C`` and ``pair_weight``, each alone or together.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel of documents. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is 1 / (n_features * variance of X).
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    pair_weight : {"uniform", "relevance"}, callable or array-like, default="uniform"
        Weights of the pairs: all one; ``2**y_i - 2**y_j``; a function of the arrays ``y_i`` and
        ``y_j``; or one weight for each pair, in the order of ``pairs_``.
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from. The result is exact
        whatever its value.
    cache_size : float, default=1200
        Memory in MB for kernel values of documents. The whole matrix is kept if it fits, 8 bytes
        for each pair of documents.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
    verbose : int, default=0
        Whether to show how far ``fit`` and paths are.

    Attributes
    ----------
    pairs_ : ndarray of shape (n_pairs, 2)
        The pairs: the more relevant document, the less relevant one.
    dual_coef_ : ndarray of shape (n_pairs,)
        Coefficients of the pairs.
    document_coef_ : ndarray of shape (n_support,)
        What they add up to at the documents of ``support_``.
    support_ : ndarray of shape (n_support,)
        Documents with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These documents (empty for a precomputed kernel).
    coef_ : ndarray of shape (1, n_features)
        Weights of the features; linear kernel only.
    weights_ : ndarray of shape (n_pairs,)
        The ``C_ij`` that the model sits at.
    C_ : float
        The value of C that the model sits at.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
       algorithm for instance-weighted support vector machines. Machine Learning 88, 2012,
       section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> random = np.random.default_rng(0)
    >>> X, qid = random.normal(size=(60, 3)), np.repeat([1, 2, 3], 20)
    >>> y = np.digitize(X[:, 0] + 0.5 * random.normal(size=60), [0, 1])
    >>> model = wp.RankingSVM(C=0.1).fit(X, y, qid=qid)
    >>> path = model.reweight("relevance")
    >>> bool(path.kkt_violation() < 1e-9)
    True
    """

    _moves = ("C", "pair_weight")
    _lines = ("C_",)
    _fixed = ("n_features_in_", "feature_names_in_", "gamma_", "_ridge", "_query")
    _shown: ClassVar[dict[str, str]] = {"weights_": "weight"}

    # A ridge would belong to pairs.
    ridge = 0.0

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        pair_weight="uniform",
        tol=1e-3,
        cache_size=1200,
        max_events=1_000_000,
        verbose=0,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.pair_weight = pair_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_events = max_events
        self.verbose = verbose

    def fit(self, X, y, qid=None):
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Documents; for a precomputed kernel its matrix. They are copied, but for arrays that
            are read-only or memory-mapped.
        y : array-like of shape (n_documents,)
            Relevances: numbers, of which only the order makes pairs.
        qid : array-like of shape (n_documents,) or None, default=None
            The query of each document; all belong to one query if not given.

        Returns
        -------
        self : RankingSVM
        """
        with self._all_or_nothing() as draft:
            draft._set_documents(X, y, qid)
            draft._parts = (draft._first_part(),)
            draft._publish()
        return self

    def reweight(self, pair_weight) -> SolutionPath:
        """Follow the exact path to new weights of the pairs; the model then sits there.

        Parameters
        ----------
        pair_weight : {"uniform", "relevance"}, callable or array-like of shape (n_pairs,)
            New weights, as in the parameter of the class.

        Returns
        -------
        SolutionPath
            All solutions between the old weights (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"pair_weight": pair_weight})

    def predict(self, X) -> np.ndarray:
        """Return the scores of documents; the higher, the more relevant.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Documents; for a precomputed kernel its values with all training documents.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = self._validate(X)
        if self.support_.size == 0:
            return np.zeros(X.shape[0])
        if self._kernel.name == "precomputed":
            X = X[:, self.support_]
        return self._kernel.product(X, self.support_vectors_, self.document_coef_)

    def decision_function(self, X) -> np.ndarray:
        """Return the scores of documents, as ``predict`` does."""
        return self.predict(X)

    def rank(self, X, qid=None) -> np.ndarray:
        """Return documents from the best to the worst of each query.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Documents.
        qid : array-like of shape (n,) or None, default=None
            Their queries; one query if not given.

        Returns
        -------
        ndarray of shape (n,)
            Row numbers, such that ``X[order]`` has the queries one after the other, in the order
            in which they first come, and in each the documents of the highest score first. Equal
            scores keep their order.
        """
        score = self.predict(X)
        query = check_queries(qid, len(score))
        _, first, number = np.unique(query, return_index=True, return_inverse=True)
        return np.lexsort((np.arange(len(score)), -score, first[number]))

    def score(self, X, y, qid=None, k=None, convention="sklearn") -> float:
        """Return the mean NDCG over queries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Documents.
        y : array-like of shape (n,)
            Their relevances, not negative.
        qid : array-like of shape (n,) or None, default=None
            Their queries; one query if not given.
        k : int or None, default=None
            Only the first ``k`` documents count; all if not given.
        convention : {"sklearn", "paper", "exponential"}, default="sklearn"
            Gains and discounts; see :func:`weightpath.metrics.trace_curve`.
        """
        score = self.predict(X)
        y = check_relevance(y)
        if y.shape != score.shape:
            raise ValueError(f"X has {len(score)} rows but y has shape {y.shape}.")
        given = {"qid": check_queries(qid, len(score)), "k": k, "convention": convention}
        return Evaluator("ndcg", Outputs(owner="model"), len(score), y, None, given)(score)

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features; linear kernel only."""
        check_is_fitted(self)
        if self._kernel.name != "linear":
            raise AttributeError(
                f'coef_ exists only with kernel="linear"; this kernel is {self._kernel.name}.'
            )
        return np.asarray(self.support_vectors_.T @ self.document_coef_)[None]

    def kkt_violation(self, relative: bool = True) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-12.

        Parameters
        ----------
        relative : bool, default=True
            Relative to the margin asked of a pair; as that is one, it makes no difference here.
        """
        check_is_fitted(self)
        part = self._parts[0]
        beta = part.state.beta
        rows = PairRows(self._preferences)
        response = rows.own_product(self._kernel, self._X, beta)
        kappa = reach_of(rows.own_diagonal(self._kernel, self._X))
        return kkt_violation(part.stair, beta, 0.0, response, kappa, relative)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    # What a ranking problem is ---------------------------------------------------------------

    def _set_documents(self, X, y, qid) -> None:
        self._check_settings(X)
        X, y = self._validate(X, y, reset=True, y_numeric=True, ensure_min_samples=2)
        y = check_relevance(y)
        self._query = check_queries(qid, X.shape[0])
        self._set_kernel(X, np.ones(X.shape[0]))
        self._labels, self._pairs = y, [(1, 0)]
        self._preferences = PreferencePairs.of(y, self._query)
        if len(self._preferences) == 0:
            raise ValueError(
                "There are no pairs to learn from: no query has documents of different relevance."
            )
        self.C_ = check_number("C", self.C)
        own = resolve_pair_weight(self.pair_weight, self._preferences, y)
        self._quantities = {"weight": products(self.C_, own)}
        self._check_quantities(self._quantities, y)

    def _first_part(self) -> Part:
        columns = self._columns(self._X, None, 1)
        check_kernel(self._kernel, columns.documents, 0.0)
        rows = np.arange(len(self._preferences))
        reading = self._reading(rows, None, self._labels)
        weight = self._quantities["weight"]
        state = solve_ranking(columns, weight, check_number("tol", self.tol), self.verbose)
        return Part(rows, reading, columns, ranking_staircase(weight), state)

    def _columns(self, X, rows, n_parts):
        cache = check_number("cache_size", self.cache_size)
        return operator(self._kernel, X, self._preferences, cache)

    def _travel_options(self, max_events: int) -> Options:
        callback = PathProgress("path", self.verbose) if self.verbose else None
        return Options(max_events=max_events, callback=callback)

    def _staircase(self, rows, reading, quantities):
        return ranking_staircase(quantities["weight"])

    def _reading(self, rows, pair, labels):
        return Reading("ranking", np.ones(len(rows)))

    def _check_quantities(self, quantities, labels) -> None:
        weight = quantities["weight"]
        if not np.isfinite(weight).all():
            raise ValueError("C * pair_weight overflows. Use smaller numbers.")
        if not weight.any():
            raise ValueError("All weights of pairs are zero: there is nothing to learn from.")

    def _aim(self, targets):
        quantities, attributes = dict(self._quantities), {}
        C = check_number("C", targets["C"]) if "C" in targets else self.C_
        if "C" in targets:
            attributes["C_"] = C
            quantities["weight"] = products(quantities["weight"], C / self.C_)
        if "pair_weight" in targets:
            own = resolve_pair_weight(targets["pair_weight"], self._preferences, self._labels)
            quantities["weight"] = products(C, own)
        return quantities, attributes

    def _publish(self) -> None:
        if "_preferences" not in self.__dict__:
            self._preferences = PreferencePairs.of(self._labels, self._query)
        super()._publish()
        self.pairs_ = self._preferences.table
        self.dual_coef_ = self._parts[0].state.beta.copy()
        coef = self._preferences.gather(self.dual_coef_)
        self.support_ = np.flatnonzero(coef).astype(np.int32)
        self.document_coef_ = coef[self.support_]
        precomputed = self._kernel.name == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if precomputed else self._X[self.support_]
