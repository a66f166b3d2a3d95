r"""Importance of training rows for test rows: the ratio of two densities, fitted directly.

The ratio is modelled by Gaussian bumps at some test rows c_1, ..., c_b,

    r(x) = sum_l coef_l phi_l(x),    phi_l(x) = exp(-||x - c_l||^2 / (2 sigma^2)),

and fitted to p_test / p_train in squares under p_train. With samples instead of densities

    H = mean over training rows of phi phi',    h = mean over test rows of phi,
    coef = max(0, (H + ridge I)^-1 h).

Width and ridge minimise the leave-one-out score. For i = 1, ..., m, with m the smaller of the two
sample sizes, training row i and test row i are left out together; with phi_i and psi_i their
features and coef^(i) the coefficients without them,

    score = mean_i [ (phi_i' coef^(i))^2 / 2 - psi_i' coef^(i) ].

No refit is needed. Without the rows, n and k being the numbers of training and test rows,

    H^(i) + ridge I = n / (n - 1) (B - phi_i phi_i' / n),    B = H + ridge (n - 1) / n I,
    h^(i) = (k h - psi_i) / (k - 1),

and Sherman and Morrison's formula for the inverse of B less a matrix of rank one gives, with
u_i = k h - psi_i,

    coef^(i) = (n - 1) / (n (k - 1)) max(0, B^-1 u_i + B^-1 phi_i (phi_i' B^-1 u_i)
                                            / (n - phi_i' B^-1 phi_i)).

The bumps stay where they are when a row is left out, as in the paper.

T. Kanamori, S. Hido, M. Sugiyama. A least-squares approach to direct importance estimation. Journal
of Machine Learning Research 10, 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.utils import check_array, check_random_state

__all__ = ["ImportanceFit", "importance"]

# Widths to choose from, as multiples of the median distance to the bumps; ridges as they are.
RELATIVE_WIDTHS = np.geomspace(0.1, 10, 9)
RIDGES = np.geomspace(1e-3, 10, 9)


class ImportanceFit:
    r"""The ratio of the density of test rows to that of training rows, as a function.

    .. math:: r(x) = \sum_l \beta_l \exp\left(-\frac{\|x - c_l\|^2}{2 \sigma^2}\right),
              \qquad \beta = \max\left(0, (H + \lambda I)^{-1} h\right)

    by unconstrained least-squares importance fitting [1]_: :math:`H` is the mean of
    :math:`\phi(x) \phi(x)'` over training rows, :math:`h` that of :math:`\phi(x)` over test rows.
    Width and ridge are those with the least leave-one-out score, which has a closed form.

    Parameters
    ----------
    X_train, X_test : array of shape (n, p) and (k, p)
        Rows from the two distributions, at least two of each. Features should be on comparable
        scales.
    sigma : float or sequence of float, optional
        Width of the bumps, or widths to choose from; None tries nine from a tenth of the median
        distance between rows to ten times that.
    ridge : float or sequence of float, optional
        :math:`\lambda`, or values to choose from; None tries nine from 0.001 to 10.
    n_basis : int
        Largest number of bumps; their centres are test rows drawn at random.
    random_state : int, RandomState instance or None
        Draws the centres and pairs the rows that are left out together.

    Attributes
    ----------
    sigma, ridge : float
        The chosen width and ridge.
    sigmas, ridges : ndarray
        What there was to choose from.
    scores : ndarray of shape (len(sigmas), len(ridges))
        Leave-one-out scores, the less the better.
    centres : ndarray of shape (b, p)
        Centres of the bumps.
    coef : ndarray of shape (b,)
        Non-negative coefficients.

    References
    ----------
    .. [1] T. Kanamori, S. Hido and M. Sugiyama. A least-squares approach to direct importance
       estimation. Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.weights import ImportanceFit
    >>> rng = np.random.default_rng(0)
    >>> ratio = ImportanceFit(rng.normal(0, 1, (500, 1)), rng.normal(1, 0.5, (300, 1)))
    >>> low, high = ratio([[-1.0], [1.0]])
    >>> bool(low < 0.1 and high > 2)
    True
    """

    def __init__(
        self,
        X_train: Any,
        X_test: Any,
        sigma: float | Sequence[float] | None = None,
        ridge: float | Sequence[float] | None = None,
        n_basis: int = 100,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        X_train, X_test = check_samples(X_train, X_test)
        if n_basis < 1:
            raise ValueError(f"n_basis must be at least 1; got {n_basis}.")
        random = check_random_state(random_state)
        X_train, X_test = random.permutation(X_train), random.permutation(X_test)
        self.centres = X_test[:n_basis]
        to_train = cdist(X_train, self.centres, "sqeuclidean")
        to_test = cdist(X_test, self.centres, "sqeuclidean")
        self.sigmas = choices("sigma", sigma, RELATIVE_WIDTHS * median_distance(to_train, to_test))
        self.ridges = choices("ridge", ridge, RIDGES)
        self.scores = np.empty((self.sigmas.size, self.ridges.size))
        for row, width in enumerate(self.sigmas):
            phi, psi = bumps(to_train, width), bumps(to_test, width)
            for column, penalty in enumerate(self.ridges):
                self.scores[row, column] = leave_one_out_score(phi, psi, penalty)
        best = np.unravel_index(np.argmin(self.scores), self.scores.shape)
        self.sigma, self.ridge = float(self.sigmas[best[0]]), float(self.ridges[best[1]])
        self.coef = coefficients(
            bumps(to_train, self.sigma), bumps(to_test, self.sigma), self.ridge
        )

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return the ratio at each row of X, not negative."""
        X = check_array(X, dtype=float)
        if X.shape[1] != self.centres.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} features; the ratio was fitted with {self.centres.shape[1]}."
            )
        squared = cdist(X, self.centres, "sqeuclidean")
        return bumps(squared, self.sigma) @ self.coef

    def __repr__(self) -> str:
        return (
            f"ImportanceFit(sigma={self.sigma:.4g}, ridge={self.ridge:.4g}, "
            f"n_basis={len(self.centres)})"
        )


def importance(
    X_train: Any,
    X_test: Any,
    sigma: float | Sequence[float] | None = None,
    ridge: float | Sequence[float] | None = None,
    n_basis: int = 100,
    random_state: int | np.random.RandomState | None = 0,
) -> NDArray[np.float64]:
    """Weights that make training rows representative of the test rows.

    Under covariate shift the inputs are distributed differently in training and in use while the
    answer to an input is not; weighting each training row by the ratio of the two densities
    removes the bias. The ratio is estimated by :class:`ImportanceFit`, which gives further details.

    Parameters
    ----------
    X_train, X_test : array of shape (n, p) and (k, p)
        Inputs of both phases; no labels are needed.
    sigma, ridge : float or sequence of float, optional
        Width and ridge, or several of them to choose from by leave-one-out.
    n_basis : int
        Largest number of bumps in the model of the ratio.
    random_state : int, RandomState instance or None
        Draws the centres of the bumps and pairs the rows that are left out together.

    Returns
    -------
    ndarray of shape (n,)
        Weights that are not negative, about 1 on average.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.weights import importance
    >>> rng = np.random.default_rng(0)
    >>> X_train, X_test = rng.normal(0, 1, (200, 2)), rng.normal(0.7, 0.7, (150, 2))
    >>> weights = importance(X_train, X_test)
    >>> weights.shape, bool(weights.min() >= 0)
    ((200,), True)
    """
    ratio = ImportanceFit(X_train, X_test, sigma, ridge, n_basis=n_basis, random_state=random_state)
    weights = ratio(X_train)
    if not weights.any():
        raise ValueError(
            "Every training row has weight zero: none is near a test row at the width "
            f"{ratio.sigma:.3g}. Training and test rows may lie apart altogether; otherwise try a "
            "larger sigma."
        )
    return weights


def bumps(squared_distances: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Return the features of rows at these distances from the centres."""
    # A width may be so small that its square vanishes: then every row but the centre is far away.
    with np.errstate(over="ignore"):
        return np.exp(-0.5 * (squared_distances / sigma / sigma))


def coefficients(
    phi: NDArray[np.float64], psi: NDArray[np.float64], ridge: float
) -> NDArray[np.float64]:
    """Return the coefficients from the features of training rows, phi, and test rows, psi."""
    H = phi.T @ phi / len(phi)
    H[np.diag_indices_from(H)] += ridge
    coef: NDArray[np.float64] = np.maximum(0.0, cho_solve(cho_factor(H), psi.mean(axis=0)))
    return coef


def leave_one_out_score(phi: NDArray[np.float64], psi: NDArray[np.float64], ridge: float) -> float:
    """Return the score of leaving out training row i and test row i together, i = 1, ..., m."""
    n, k = len(phi), len(psi)
    m = min(n, k)
    B = phi.T @ phi / n
    B[np.diag_indices_from(B)] += ridge * (n - 1) / n
    factor = cho_factor(B)
    left_phi, left_psi = phi[:m].T, psi[:m].T
    solved_phi = cho_solve(factor, left_phi)
    solved_rest = cho_solve(factor, psi.sum(axis=0)[:, None] - left_psi)
    gain = (left_phi * solved_rest).sum(axis=0) / (n - (left_phi * solved_phi).sum(axis=0))
    coef = np.maximum(0.0, solved_rest + solved_phi * gain) * ((n - 1) / (n * (k - 1)))
    at_train, at_test = (left_phi * coef).sum(axis=0), (left_psi * coef).sum(axis=0)
    return float(np.mean(at_train**2 / 2 - at_test))


def median_distance(to_train: NDArray[np.float64], to_test: NDArray[np.float64]) -> float:
    """Return the median distance of rows from centres; 1 where all rows are the same."""
    squared = np.concatenate([to_train.ravel(), to_test.ravel()])
    apart = squared[squared > 0]
    return float(np.sqrt(np.median(apart))) if apart.size else 1.0


def choices(
    name: str, given: float | Sequence[float] | None, default: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values to choose from: those given or, if none are, the default ones."""
    if given is None:
        return default
    values = np.atleast_1d(np.asarray(given, dtype=float))
    if values.ndim != 1 or values.size == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"{name} must be positive and finite, one number or several; got {given}.")
    return values


def check_samples(X_train: Any, X_test: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both samples as arrays of the same number of features."""
    X_train = check_array(X_train, dtype=float, ensure_min_samples=2, input_name="X_train")
    X_test = check_array(X_test, dtype=float, ensure_min_samples=2, input_name="X_test")
    if X_train.shape[1] != X_test.shape[1]:
        raise ValueError(
            f"X_train has {X_train.shape[1]} features and X_test {X_test.shape[1]}: they must be "
            "the same features."
        )
    return X_train, X_test
