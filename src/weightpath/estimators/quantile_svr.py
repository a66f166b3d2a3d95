"""Weighted quantile regression with kernels."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from weightpath.engine import COMPLETE, Options
from weightpath.errors import PathError
from weightpath.estimators.checks import check_fraction
from weightpath.estimators.first_guess import guess_regressor
from weightpath.estimators.regression import KernelRegressor
from weightpath.path import Reading
from weightpath.problems import pinball_staircase
from weightpath.problems.staircase import mix

__all__ = ["QuantileSVR"]

# Where a fit starts: there the pinball loss is half the absolute loss, which LIBSVM knows.
_MEDIAN = 0.5

_MOST_EVENTS = 10_000_000


class QuantileSVR(KernelRegressor):
    r"""Weighted kernel quantile regression with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, \rho_\tau(y_i - w'\phi(x_i) - b), \qquad
        \rho_\tau(r) = \max(\tau r, (\tau - 1) r), \qquad
        C_i = C \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i`, the quantile :math:`\tau` or the targets
    :math:`y_i` change. A path from 0.05 to 0.95 holds all quantiles between; as each is a fit of
    its own, the curves of two quantiles may cross.

    ``move`` takes ``C``, ``sample_weight``, ``quantile`` and ``y``: each alone or together. What
    moves on straight lines are the targets and the bounds of the coefficients,
    :math:`C_i(\tau - 1)` and :math:`C_i\tau`. So the :math:`C_i` do, and the quantile alone does;
    where both move, the quantile in between is the mean of both ends weighted by their
    :math:`C_i`, which is one for each instance unless all weights change by one factor.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter.
    quantile : float, default=0.5
        The quantile, above 0 and below 1.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is 1 / (n_features * variance of X),
        with the *weighted* variance, so that weight 2 equals two copies. It is resolved by ``fit``
        (``gamma_``); moving never changes the kernel.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from, for targets of size one.
        The result is exact whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and its own record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, as each has a diagonal entry of its own.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Training rows with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    n_support_ : ndarray of shape (1,)
        The number of support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        The bias, the middle of its interval where it is not unique.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features; linear kernel only.
    weights_ : ndarray of shape (n_samples,)
        The ``C_i`` that the model sits at.
    quantile_ : float
        The quantile that the model sits at; of a model between two ends of a path on which
        quantile and weights moved together, the weighted mean of ``quantiles_``.
    quantiles_ : ndarray of shape (n_samples,)
        The quantile of each instance.
    target_ : ndarray of shape (n_samples,)
        The targets that the model sits at.
    C_ : float
        The trade-off parameter that the model sits at.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    References
    ----------
    .. [1] I. Takeuchi, Q. V. Le, T. D. Sears, A. J. Smola, "Nonparametric quantile estimation",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.3 * np.cos(50 * X[:, 0])
    >>> model = wp.QuantileSVR(C=10, quantile=0.1, gamma=0.5).fit(X, y)
    >>> path = model.move(quantile=0.9)
    >>> bool(path.kkt_violation() < 1e-9)
    True
    >>> low, high = path.decision_function(X, [0.0, 1.0])
    >>> bool(np.mean(y < low - 1e-9) <= 0.1), bool(np.mean(y > high + 1e-9) <= 0.1)
    (True, True)
    """

    _moves = ("C", "sample_weight", "quantile", "y")
    _shown: ClassVar[dict[str, str]] = {
        "weights_": "weight",
        "quantiles_": "quantile",
        "target_": "target",
    }

    def __init__(
        self,
        C=1.0,
        quantile=0.5,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        cache_size=200,
        ridge=0.0,
        max_events=1_000_000,
    ):
        self.C = C
        self.quantile = quantile
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events

    def _publish(self) -> None:
        super()._publish()
        quantile, weight = self._quantities["quantile"], self._quantities["weight"]
        first = quantile[weight > 0][0]
        alike = (quantile[weight > 0] == first).all()
        self.quantile_ = float(first if alike else np.average(quantile, weights=weight))

    def _shape_quantities(self, n):
        return {"quantile": np.full(n, check_fraction("quantile", self.quantile))}

    def _shape_of_arrivals(self, n):
        return {"quantile": np.full(n, self.quantile_)}

    def _solve(self, rows) -> None:
        """Solve at the median, from a guess, and go from there to the quantile."""
        wanted = self._quantities
        self._quantities = {**wanted, "quantile": np.full(len(rows), _MEDIAN)}
        reading = self._reading(rows, None, None)
        weight = wanted["weight"] * _MEDIAN
        guess = partial(guess_regressor, self._kernel, wanted["target"], weight, 0.0)
        part = self._solved_part(rows, reading, 1, guess)
        self._quantities = wanted
        if (wanted["quantile"] != _MEDIAN).any():
            end = self._staircase(rows, reading, wanted)
            options = Options(ridge=self._ridge, max_events=_MOST_EVENTS)
            part, trace = part.travel(end, options)
            if trace.status != COMPLETE:
                raise PathError(trace.status.message)
        self._parts = (part,)

    def _reading(self, rows, pair, labels):
        return Reading("quantile", np.ones(len(rows)))

    def _staircase(self, rows, reading, quantities):
        return pinball_staircase(
            quantities["target"][rows], quantities["weight"][rows], quantities["quantile"][rows]
        )

    @classmethod
    def _between(cls, start, end, theta):
        """Return the quantities for which the bounds of the coefficients are on straight lines."""
        between = super()._between(start, end, theta)
        weight = between["weight"]
        upper = mix(start["weight"] * start["quantile"], end["weight"] * end["quantile"], theta)
        moves = (weight > 0) & (start["quantile"] != end["quantile"])
        between["quantile"][moves] = upper[moves] / weight[moves]
        return between

    def _aim(self, targets):
        quantities, attributes = super()._aim(targets)
        if "quantile" in targets:
            quantile = check_fraction("quantile", targets["quantile"])
            quantities["quantile"] = np.full(self._X.shape[0], quantile)
        return quantities, attributes
