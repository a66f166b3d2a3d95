"""Picture of a path of basis pursuit: coefficients and least cost against theta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.plotting.theme import MAIN, THETA_LABEL, line_styles, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.pursuit.path import PursuitPath

__all__ = ["PursuitDisplay", "plot_pursuit"]

# How many features are chosen by default.
_FEATURES = 12


@dataclass(eq=False)
class PursuitDisplay:
    """A picture of a path of basis pursuit, and the data it shows.

    Parameters
    ----------
    edges : ndarray of shape (n_segments + 1,)
        The breakpoints.
    coefficients : ndarray of shape (n_segments, n_shown)
        The coefficients of the features shown.
    features : ndarray of int of shape (n_shown,)
        Which features.
    cost : ndarray of shape (n_segments + 1,)
        The least weighted sum of absolute coefficients at the breakpoints.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    edges: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    features: NDArray[np.intp]
    cost: NDArray[np.float64]

    @classmethod
    def from_path(cls, path: PursuitPath, features: ArrayLike | None = None) -> PursuitDisplay:
        """Collect what is shown; by default the features whose coefficients vary most."""
        edges = np.asarray(path.theta)
        all_of = np.array([path.at(theta, side="right").coef for theta in edges[:-1].tolist()])
        if features is None:
            spread = all_of.max(axis=0) - all_of.min(axis=0)
            order = np.lexsort((-np.abs(all_of).max(axis=0), -spread))
            features = [j for j in order[:_FEATURES] if all_of[:, j].any()]
        chosen = np.atleast_1d(np.asarray(features, dtype=np.intp))
        cost = np.array([path.at(theta).objective for theta in edges.tolist()])
        return cls(edges, all_of[:, chosen], chosen, cost)

    def plot(self, ax: Axes | Sequence[Axes] | NDArray[Any] | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of two of them, optional
            Coefficients above, the least cost below; a single one shows the coefficients only. By
            default a new figure.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(
                2, sharex=True, figsize=(8, 6), layout="constrained", height_ratios=(2.6, 1)
            )
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(axes) not in (1, 2):
            raise ValueError(f"A path is drawn on one or two axes, got {len(axes)}.")
        styles = line_styles(len(self.features))
        for column, (feature, (color, dash)) in enumerate(zip(self.features, styles, strict=True)):
            value = self.coefficients[:, column]
            line = {"baseline": None, "color": color, "ls": dash, "lw": 1.6}
            axes[0].stairs(value, self.edges, label=f"feature {feature}", **line)
        axes[0].axhline(0.0, color="grey", lw=0.8, zorder=0)
        axes[0].set_ylabel("coefficient")
        if len(self.features):
            where = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
            axes[0].legend(frameon=False, fontsize=8, **where)
        if len(axes) == 2:
            axes[1].plot(self.edges, self.cost, color=MAIN, lw=1.6, marker=".", ms=4)
            axes[1].set_ylabel("least cost")
        for axis in axes:
            axis.set_xlim(self.edges[0], self.edges[-1])
            tidy(axis)
        axes[-1].set_xlabel(THETA_LABEL)
        self.axes_, self.figure_ = axes, axes[0].figure
        return self


def plot_pursuit(
    path: PursuitPath,
    ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
    features: ArrayLike | None = None,
) -> PursuitDisplay:
    """Plot a path of basis pursuit.

    Parameters
    ----------
    path : PursuitPath
        What to show.
    ax : matplotlib Axes or sequence of two of them, optional
        See :meth:`PursuitDisplay.plot`.
    features : array-like of int, optional
        Which features; by default those whose coefficients vary most.
    """
    return PursuitDisplay.from_path(path, features).plot(ax)
