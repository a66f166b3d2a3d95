r"""Problems whose rows are the features: how they follow from the data, and what they say.

In a sparse linear model the coefficients belong to features, not to instances. With weights
:math:`\omega_i` that sum to one and a centre :math:`m` (zero without an intercept) the rows of the
problem are :math:`z_j = (\sqrt{\omega_i} (x_{ij} - m_j))_i`, and at a new point the model says
:math:`f(x) = (x - m)'\beta + c`, where the offset :math:`c`, the mean of the targets, moves on a
straight line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightpath.kernels import Kernel
from weightpath.path.response import Response

__all__ = ["FeatureRows", "centred_features"]

# A centred column smaller than this part of its mean is the rounding of a constant.
CONSTANT = 1e-14

_PREPARED = Kernel("precomputed")


def centred_features(X: np.ndarray, weight: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return the features as rows, centred and scaled, of shape (n_features, n_samples).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,)
        Weights that sum to one.
    centre : ndarray of shape (n_features,)
        What is taken from each feature.

    Returns
    -------
    ndarray of shape (n_features, n_samples)
        Rows that are zero but for rounding are zero.
    """
    rows = np.ascontiguousarray(X.T) - centre[:, None]
    rows *= np.sqrt(weight)
    size = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows[size <= CONSTANT * np.abs(centre)] = 0.0
    return rows


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """The data of a problem on features, and how its coefficients are evaluated.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        Weights of the instances; they sum to one.
    centre : ndarray of shape (n_features,)
        What is taken from each feature.
    offset : ndarray of shape (2,)
        What is added to every value at theta = 0 and theta = 1.
    square : ndarray of shape (3,)
        Products of the centred targets at both ends: start with start, start with end, end with
        end; each summed with the weights.
    """

    weight: np.ndarray
    centre: np.ndarray
    offset: np.ndarray
    square: np.ndarray
    rows_are = "features"

    def __post_init__(self):
        for name in ("weight", "centre", "offset", "square"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return self.centre.size

    def train(self, X) -> np.ndarray:
        """Return the rows of the problem from the training data."""
        return centred_features(X, self.weight, self.centre)

    def offset_at(self, theta):
        """Return what is added to every value."""
        return (1.0 - theta) * self.offset[0] + theta * self.offset[1]

    def intercept(self, theta, beta: np.ndarray):
        """Return the value at the origin; ``beta`` has one column for each theta."""
        return self.offset_at(theta) - self.centre @ beta

    def response(self, kernel, points, train) -> Response:
        """Return the map from coefficients to values at points, without the offset."""
        dense = points.toarray() if hasattr(points, "toarray") else points
        return Response(_PREPARED, np.asfortranarray(dense - self.centre), None)

    def values(self, kernel, points, train, coef: np.ndarray) -> np.ndarray:
        """Return values at points for coefficients of shape (n_features, k), as (n_points, k).

        They are values without a centre, to which the intercept is to be added.
        """
        return points @ coef

    def own_product(self, kernel, train, beta: np.ndarray) -> np.ndarray:
        """Return the problem's matrix times ``beta``."""
        return kernel.product(train, train, beta)

    def own_diagonal(self, kernel, train) -> np.ndarray:
        """Return the diagonal of the problem's matrix."""
        return kernel.diagonal(train)

    def half_square(self, theta: float) -> float:
        """Return half of the mean square of the centred targets."""
        left, right = 1.0 - theta, theta
        first, cross, last = self.square
        return float(
            0.5 * (left * left * first + 2.0 * left * right * cross + right * right * last)
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return everything as named arrays, for saving."""
        return {
            f"feature_{name}": getattr(self, name)
            for name in ("weight", "centre", "offset", "square")
        }

    @classmethod
    def from_arrays(cls, arrays) -> FeatureRows | None:
        """Return what :meth:`to_arrays` has described; ``None`` if nothing was."""
        if "feature_weight" not in arrays:
            return None
        return cls(
            *(arrays[f"feature_{name}"] for name in ("weight", "centre", "offset", "square"))
        )
