"""Basis pursuit: the least weighted sum of absolute coefficients that fits the data exactly."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.checks import check_cotangent, check_number, check_whole_number
from weightpath.estimators.gradient import Gradient
from weightpath.estimators.input_data import check_instances, keep_X_y
from weightpath.estimators.lasso.problem import check_penalty_weight
from weightpath.estimators.lasso.reweighting import first_epsilon
from weightpath.estimators.pursuit.pursued import PathModels, Pursued, likely_features
from weightpath.estimators.pursuit.pursuit_gradient import pursuit_gradient
from weightpath.estimators.snapshot import FEATURES
from weightpath.estimators.training_set import own_dense
from weightpath.pursuit import Program, PursuitPath
from weightpath.pursuit.certificate import duality_gap
from weightpath.pursuit.parametric import follow

__all__ = ["BasisPursuit"]


@final
class BasisPursuit(RegressorMixin, BaseEstimator):
    r"""The sparsest-looking exact fit: basis pursuit [1]_, with weights that move exactly.

    .. math::

        \min_x \; \sum_j w_j |x_j| \quad \text{subject to} \quad \Phi x = y

    Where :math:`y` is not in the range of :math:`\Phi`, the least is taken over the least-squares
    solutions. This is the limit of the lasso as its ``alpha`` falls to zero. There is no intercept.
    ``reweight`` follows the solution while the weights move; ``reweighted_l1`` [2]_ is a sequence
    of such paths.

    Parameters
    ----------
    penalty_weight : float or array-like of shape (n_features,) or None, default=None
        The weights :math:`w_j`, not negative; ones if not given. Zero makes a feature free.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients. Where several are optimal, those of one vertex.
    intercept_ : float
        Zero.
    active_ : ndarray of int
        The features with a coefficient: never more than the rank of :math:`\Phi`.
    penalty_weight_ : ndarray of shape (n_features,)
        The weights that the model sits at.
    dual_ : ndarray of shape (n_samples,)
        The certificate: a vector :math:`u` with :math:`|\phi_j'u| \le w_j` and
        :math:`(\Phi x)'u = \sum_j w_j |x_j|`, so that no other fit costs less.
    objective_ : float
        The least weighted sum of absolute coefficients.
    is_consistent_ : bool
        Whether :math:`\Phi x = y` has a solution.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    See Also
    --------
    Lasso : with a penalty instead of the constraint.

    Notes
    -----
    Solved by simplex pivots from any basis, in the manner of Barrodale and Roberts [3]_, and
    checked by duality from the data. Equations count as consistent, and rows as dependent, to
    within rounding of the scaled data. The data are kept as a dense matrix.

    References
    ----------
    .. [1] S. Chen, D. Donoho, M. Saunders, "Atomic decomposition by basis pursuit", SIAM Journal on
       Scientific Computing 20, 1998.
    .. [2] E. Candes, M. Wakin, S. Boyd, "Enhancing sparsity by reweighted l1 minimization",
       Journal of Fourier Analysis and Applications 14, 2008.
    .. [3] I. Barrodale, F. D. K. Roberts, "An improved algorithm for discrete l1 linear
       approximation", SIAM Journal on Numerical Analysis 10, 1973.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> rng = np.random.default_rng(0)
    >>> Phi = rng.normal(size=(20, 50))
    >>> signal = np.zeros(50)
    >>> signal[[3, 14, 15]] = 1.0, -2.0, 0.5
    >>> model = wp.BasisPursuit().fit(Phi, Phi @ signal)
    >>> model.active_
    array([ 3, 14, 15])
    >>> bool(model.duality_gap() < 1e-12)
    True
    >>> path = model.reweight(rng.uniform(0.1, 2.0, 50))
    >>> bool(path.kkt_violation() < 1e-10)
    True
    """

    # What a fit sets: data, solution and weights.
    _pursued: Pursued

    def __init__(self, penalty_weight: ArrayLike | None = None) -> None:
        self.penalty_weight = penalty_weight

    def fit(self, X: Any, y: ArrayLike) -> Self:
        r"""Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The matrix :math:`\Phi`; a sparse one is made dense.
        y : array-like of shape (n_samples,)
            The right-hand side.

        Returns
        -------
        self : BasisPursuit
        """
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        X, y = keep_X_y(draft, X, y, y_numeric=True)
        X = own_dense(X.toarray()) if issparse(X) else X
        weight = check_penalty_weight(self.penalty_weight, X.shape[1])
        program = Program(X, np.array(y, dtype=np.float64))
        solved = program.solve(weight, likely_features(program, weight))
        if not np.isfinite(solved.coef).all():
            raise ValueError("The coefficients overflow: scale X and y.")
        draft._pursued = Pursued(program, weight, solved)
        self.__dict__ = draft.__dict__
        return self

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The coefficients."""
        return self._where().solved.coef.copy()

    @property
    def active_(self) -> NDArray[np.intp]:
        """The features with a coefficient."""
        return np.flatnonzero(self._where().solved.coef)

    @property
    def dual_(self) -> NDArray[np.float64]:
        """The dual vector that certifies the coefficients."""
        return self._where().solved.dual.copy()

    @property
    def penalty_weight_(self) -> NDArray[np.float64]:
        """The weights that the model sits at."""
        return self._where().weight.copy()

    @property
    def intercept_(self) -> float:
        """Zero: there is no intercept."""
        self._where()
        return 0.0

    @property
    def objective_(self) -> float:
        """The least weighted sum of absolute coefficients."""
        here = self._where()
        return float(here.weight @ np.abs(here.solved.coef))

    @property
    def is_consistent_(self) -> bool:
        """Whether the equations have a solution."""
        return self._where().program.equations.consistent

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values at some rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,)
        """
        here = self._where()
        values: NDArray[np.float64] = check_instances(self, X) @ here.solved.coef
        return values

    def reweight(self, penalty_weight: ArrayLike) -> PursuitPath:
        """Follow the exact path to new weights; the model then sits there.

        Parameters
        ----------
        penalty_weight : float or array-like of shape (n_features,)
            New weights, not negative. Zero makes a feature free.

        Returns
        -------
        PursuitPath
            All solutions between the old weights (theta = 0) and the new ones (theta = 1).
        """
        path, there = self._path(penalty_weight)
        self._pursued = there
        return path

    def move(self, *, penalty_weight: ArrayLike) -> PursuitPath:
        """Follow the exact path to new weights, as :meth:`reweight` does.

        Parameters
        ----------
        penalty_weight : float or array-like of shape (n_features,)
            The new weights.

        Returns
        -------
        PursuitPath
        """
        return self.reweight(penalty_weight)

    def path_to(self, *, penalty_weight: ArrayLike) -> PursuitPath:
        """Follow the exact path to new weights, but stay where the model is.

        Parameters
        ----------
        penalty_weight : float or array-like of shape (n_features,)
            The new weights.

        Returns
        -------
        PursuitPath
            The path of :meth:`reweight`; the model at its end is ``path.model_at(1.0)``.
        """
        return self._path(penalty_weight)[0]

    def reweighted_l1(self, n_rounds: int = 5, epsilon: float | None = None) -> list[PursuitPath]:
        r"""Follow the paths of reweighted l1 minimization.

        In each round the weights move to :math:`1 / (|x_j| + \epsilon)` with the present
        coefficients. To begin again from plain weights, ``reweight(1.0)``.

        Parameters
        ----------
        n_rounds : int, default=5
            How many rounds.
        epsilon : float or None, default=None
            Positive; somewhat smaller than the coefficients that matter. A tenth of the largest
            present coefficient if not given (one if all are zero).

        Returns
        -------
        list of PursuitPath
            One for each round.
        """
        present = self.coef_
        n_rounds = check_whole_number("n_rounds", n_rounds, 1)
        epsilon = check_number("epsilon", first_epsilon(present) if epsilon is None else epsilon)
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        paths = [draft.reweight(1.0 / (np.abs(draft.coef_) + epsilon)) for _ in range(n_rounds)]
        self._pursued = draft._pursued
        return paths

    def gradient(self, X: Any, cotangent: ArrayLike) -> Gradient:
        """Return how a weighted sum of predictions moves with weights and measurements.

        Between two breakpoints the coefficients do not move with the weights at all: these
        derivatives are exactly zero. With the measurements ``y`` they move on straight lines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows.
        cotangent : array-like of shape (n,)
            What a change of each prediction costs.

        Returns
        -------
        Gradient
            A dict with "penalty_weight" and "y"; see :meth:`weightpath.SVC.gradient`. Where fewer
            features are in use than the equations have independent ones, as for a sparse signal
            without noise, other measurements need other features: "y" is one-sided then.
        """
        here = self._where()
        rows = check_instances(self, X)
        return pursuit_gradient(here, rows, check_cotangent(cotangent, (rows.shape[0],)))

    def duality_gap(self, relative: bool = False) -> float:
        r"""Return :math:`\sum_j |w_j |x_j| - x_j \phi_j'u|`, from the data and ``dual_`` alone.

        Parameters
        ----------
        relative : bool, default=False
            Whether to divide it by the objective.

        Returns
        -------
        float
            By how much at most the objective exceeds the least; zero but for rounding. Infinite if
            ``dual_`` exceeds a weight by more than rounding.
        """
        here = self._where()
        gap = duality_gap(here.program.matrix, here.weight, here.solved.coef, here.solved.dual)
        return gap / self.objective_ if relative and self.objective_ > 0 else gap

    def kkt_violation(self) -> float:
        """Return how far the model is from optimal, computed from the data; about 1e-15.

        Returns
        -------
        float
            The largest of: the misfit of the equations, the excess of ``dual_`` over the weights,
            and the duality gap, each relative to its terms.
        """
        here = self._where()
        return here.program.violation(here.weight, here.solved.coef, here.solved.dual)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_pursued" in self.__dict__

    def _where(self) -> Pursued:
        """Return where the model is; raise unless it is fitted."""
        if "_pursued" not in self.__dict__:
            check_is_fitted(self)
        return self._pursued

    def _path(self, penalty_weight: ArrayLike) -> tuple[PursuitPath, Pursued]:
        """Return the path to new weights, and where it leads."""
        here = self._where()
        if penalty_weight is None:
            raise ValueError("penalty_weight is None: give the weights to move to.")
        weight = check_penalty_weight(penalty_weight, here.weight.size)
        segments, end, exchanges = follow(here.program, here.solved, here.weight, weight)
        there = Pursued(here.program, weight, end)
        known = {name: self.__dict__[name] for name in FEATURES if name in self.__dict__}
        path = PursuitPath(
            here.program,
            here.weight,
            weight,
            tuple(segments),
            here.solution(0.0),
            there.solution(1.0),
            exchanges,
            PathModels(type(self), self.get_params(), known, here, there),
            {"fixed": known},
        )
        return path, there
