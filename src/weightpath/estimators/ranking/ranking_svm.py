"""The weighted ranking support vector machine."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from weightpath.engine import Options
from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_number, check_whole_number, products
from weightpath.estimators.input_data import check_settings, keep_X_y, make_training_set
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.problem import Effort, Quantities
from weightpath.estimators.progress import PathProgress
from weightpath.estimators.ranking.preferences import (
    check_queries,
    check_relevance,
    resolve_pair_weight,
)
from weightpath.estimators.ranking.problem import RankingProblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.metrics import Outputs
from weightpath.metrics.evaluator import Evaluator
from weightpath.path import SolutionPath
from weightpath.problems import PreferencePairs

__all__ = ["RankingSVM"]


@final
class RankingSVM(PathEstimator):
    r"""Weighted ranking support vector machine with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_{(i, j)} C_{ij} \, [1 - (w'\phi(x_i) - w'\phi(x_j))]_+, \qquad
        C_{ij} = C \cdot \text{pair\_weight}_{ij} ,

    over all pairs of documents of one query of which the first is more relevant, and follows the
    solution exactly when the :math:`C_{ij}` change. Pairs are never formed: work and memory grow
    with the documents, so that hundreds of thousands of pairs are affordable.

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
    subproblems_ : tuple of Subproblem
        The one staircase problem behind the model, solved; its rows are the pairs.

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

    problem_type = RankingProblem

    # A ridge would belong to pairs.
    ridge = 0.0

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        pair_weight: Any = "uniform",
        tol: float = 1e-3,
        cache_size: float = 1200,
        max_events: int = 1_000_000,
        verbose: int = 0,
    ) -> None:
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

    def fit(self, X: Any, y: ArrayLike, qid: ArrayLike | None = None) -> Self:
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Documents; for a precomputed kernel its matrix. They are copied, except arrays that
            are read-only or memory-mapped.
        y : array-like of shape (n_documents,)
            Relevances: numbers, of which only the order makes pairs.
        qid : array-like of shape (n_documents,) or None, default=None
            The query of each document; all belong to one query if not given.

        Returns
        -------
        self : RankingSVM
        """
        return self._fit(X, y, qid)

    def reweight(self, pair_weight: Any) -> SolutionPath:
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

    def move(self, *, C: float | Unmoved = UNMOVED, pair_weight: Any = UNMOVED) -> SolutionPath:
        """Follow the exact path to another C and new weights of the pairs at once.

        All :math:`C_{ij}` move on straight lines; what is not named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        pair_weight : {"uniform", "relevance"}, callable or array-like of shape (n_pairs,), optional
            New weights, as in ``reweight``.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"C": C, "pair_weight": pair_weight})

    def add(
        self,
        X: Any,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        pair_weight: Any = None,
    ) -> SolutionPath:
        """Add documents along an exact path: the weights of their pairs rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New documents. For a precomputed kernel, the kernel values with all training documents
            and then with the new ones.
        y : array-like of shape (n_new,)
            Their relevances.
        qid : array-like of shape (n_new,) or None, default=None
            Their queries, old or new ones. May be omitted if the model was fitted without queries.
        pair_weight : {"uniform", "relevance"}, callable, array-like or None, default=None
            Weights of all pairs afterwards. If not given, present pairs keep theirs, and new ones
            have those of the parameter ``pair_weight``, which must not be an array then.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new documents come last.
        """
        return self._slide(X, y, 0, pair_weight, qid=qid, weight_rule=self.pair_weight)

    def slide(  # type: ignore[override]  # queries stand where others have instance weights
        self,
        X: Any,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        drop: int = 0,
        pair_weight: Any = None,
    ) -> SolutionPath:
        """Add documents, drop the oldest and change the weights of pairs, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals, as in ``add``.
        y : array-like of shape (n_new,)
            Their relevances.
        qid : array-like of shape (n_new,) or None, default=None
            Their queries, as in ``add``.
        drop : int, default=0
            How many of the first documents depart.
        pair_weight : {"uniform", "relevance"}, callable, array-like or None, default=None
            Weights of all pairs afterwards, as in ``add``.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing documents.
        """
        return self._slide(X, y, drop, pair_weight, qid=qid, weight_rule=self.pair_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of documents; the higher, the more relevant.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Documents; for a precomputed kernel its values with all training documents.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._values(X)[:, 0]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of documents, as ``predict`` does."""
        return self.predict(X)

    def rank(self, X: Any, qid: ArrayLike | None = None) -> NDArray[np.intp]:
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

    def score(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        k: int | None = None,
        convention: str = "sklearn",
    ) -> float:
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, RankingProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        y, qid = data
        check_settings(self, X)
        X, y = keep_X_y(self, X, y, y_numeric=True, ensure_min_samples=2)
        relevance = check_relevance(y)
        query = check_queries(qid, X.shape[0])
        training = make_training_set(self, X, relevance, np.ones(X.shape[0]), {"query": query})
        pairs = PreferencePairs.of(relevance, query)
        if len(pairs) == 0:
            raise ValueError(
                "There are no pairs to learn from: no query has documents of different relevance."
            )
        C = check_number("C", self.C)
        own = resolve_pair_weight(self.pair_weight, pairs, relevance)
        return training, RankingProblem(C, pairs), {"weight": products(C, own)}

    def _effort(self) -> Effort:
        return super()._effort()._replace(verbose=self.verbose)

    def _options(self, ridge: float) -> Options:
        callback = PathProgress("path", self.verbose) if self.verbose else None
        most = check_whole_number("max_events", self.max_events, 1)
        return Options(max_events=most, callback=callback)
