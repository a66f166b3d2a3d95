r"""Problems whose rows are the features: how they follow from the data, and what they predict.

In a sparse linear model the coefficients belong to features, not to instances. With weights
:math:`\omega_i` that sum to one and a centre :math:`m` (zero without an intercept) the rows of the
problem are :math:`z_j = (\sqrt{\omega_i} (x_{ij} - m_j))_i`, and at a new point the model says
:math:`f(x) = (x - m)'\beta + c`, where the offset :math:`c`, the mean of the targets, moves on a
straight line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels import Kernel
from weightpath.kernels.response import Response
from weightpath.path.rows import Rows
from weightpath.problems import Staircase
from weightpath.record.stored_ends import check_finite, need

__all__ = ["FeatureRows", "centred_features"]

Reals = NDArray[np.float64]

# The weights of the instances sum to one, up to rounding.
SUM_OFF = 1e-6

# A centred column smaller than this fraction of its mean is the rounding of a constant.
CONSTANT = 1e-14

_PREPARED = Kernel("precomputed")


def centred_features(X: Reals, weight: Reals, centre: Reals) -> Reals:
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
        Rows that differ from zero only by rounding are zero.
    """
    rows = np.ascontiguousarray(X.T) - centre[:, None]
    rows *= np.sqrt(weight)
    size = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows[size <= CONSTANT * np.abs(centre)] = 0.0
    return rows


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRows(Rows):
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

    weight: Reals
    centre: Reals
    offset: Reals
    square: Reals
    rows_are = "features"
    has_offset = True
    array_names = ("feature_weight", "feature_centre", "feature_offset", "feature_square")

    def __post_init__(self) -> None:
        for name in ("weight", "centre", "offset", "square"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return f"<FeatureRows: {len(self)} features of {self.weight.size} instances>"

    def __len__(self) -> int:
        return int(self.centre.size)

    def count(self, X: Any) -> int:
        """Return how many features there are."""
        return len(self)

    def train(self, X: Any) -> Reals:
        """Return the rows of the problem from the training data."""
        return centred_features(X, self.weight, self.centre)

    def offset_at(self, theta: Any) -> Any:
        """Return what is added to every value."""
        return (1.0 - theta) * self.offset[0] + theta * self.offset[1]

    def intercept(self, theta: Any, beta: Reals, bias: Any = 0.0) -> Any:
        """Return the value at the origin; ``beta`` has one column for each theta."""
        return self.offset_at(theta) - self.centre @ beta

    def response(self, kernel: Kernel, points: Any, train: Any) -> Response:
        """Return the map from coefficients to values at points, without the offset."""
        dense = points.toarray() if hasattr(points, "toarray") else points
        return Response(_PREPARED, np.asfortranarray(dense - self.centre), None)

    def values(self, kernel: Kernel, points: Any, train: Any, coef: Reals) -> Reals:
        """Return values at points for coefficients of shape (n_features, k), as (n_points, k).

        They are values without a centre, to which the intercept is to be added.
        """
        return np.asarray(points @ coef)

    def own_product(self, kernel: Kernel, train: Any, beta: Reals) -> Reals:
        """Return the problem's matrix times ``beta``."""
        return kernel.product(train, train, beta)

    def own_diagonal(self, kernel: Kernel, train: Any) -> Reals:
        """Return the diagonal of the problem's matrix."""
        return kernel.diagonal(train)

    def objective(
        self, stair: Staircase, theta: float, beta: Reals, bias: float, response: Reals
    ) -> float:
        """Return half the mean squared error with the penalty.

        It is quadratic in the coefficients, like the dual of a kernel machine.
        """
        smooth = 0.5 * np.dot(beta, response) - np.dot(stair.target, beta)
        return float(self.half_square(theta) + smooth + stair.penalty(beta).sum())

    def half_square(self, theta: float) -> float:
        """Return half of the mean square of the centred targets."""
        left, right = 1.0 - theta, theta
        first, cross, last = self.square
        return float(
            0.5 * (left * left * first + 2.0 * left * right * cross + right * right * last)
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays, for saving."""
        return {
            f"feature_{name}": getattr(self, name)
            for name in ("weight", "centre", "offset", "square")
        }

    @classmethod
    def check_arrays(
        cls, own: Mapping[str, NDArray[Any]], shape: tuple[int, int], kernel: Kernel
    ) -> int:
        """Check the weights, centres and targets of a file."""
        n, p = shape
        need(kernel.name == "linear", "a lasso has another kernel than the linear one")
        sizes = dict(zip(cls.array_names, (n, p, 2, 3), strict=True))
        for name, size in sizes.items():
            need(
                name in own and own[name].shape == (size,),
                f"{name} of a subproblem is missing or no list",
            )
            need(own[name].dtype.kind == "f", f"{name} of a subproblem holds no real numbers")
            check_finite(own[name], f"{name} of a subproblem")
        weight = own["feature_weight"]
        need((weight >= 0).all(), "a weight of an instance is negative")
        with np.errstate(over="ignore"):
            need(
                abs(weight.sum() - 1.0) <= SUM_OFF, "the weights of the instances do not sum to one"
            )
        return p

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> FeatureRows:
        """Return what :meth:`to_arrays` has described."""
        return cls(
            *(arrays[f"feature_{name}"] for name in ("weight", "centre", "offset", "square"))
        )
