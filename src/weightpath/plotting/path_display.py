"""Picture of a path: coefficients, size of the margin and events along theta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.path import LinearProgramPath, SolutionPath
from weightpath.plotting.program_lines import program_lines
from weightpath.plotting.theme import (
    ACCENT,
    MAIN,
    THETA_LABEL,
    line_styles,
    require_matplotlib,
    tidy,
)
from weightpath.problems import Wording
from weightpath.problems.kind import kind_called

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PathDisplay", "plot_path"]

# Segments drawn of a long path: more would not show at the width of a page.
MAX_SEGMENTS = 500
# The number of theta at which all rows are compared to find those that vary most.
N_PROBES = 33


@dataclass(eq=False, repr=False)
class PathDisplay:
    """A picture of a path, and the data it shows.

    Parameters
    ----------
    theta : ndarray of shape (n_theta,)
        Where the coefficients are known: both ends of every segment drawn.
    coefficients : ndarray of shape (n_theta, n_rows)
        Signed, or their absolute values; see ``wording``.
    indices : ndarray of int, shape (n_rows,)
        Training rows they belong to.
    margin_edges : ndarray of shape (n_segments + 1,)
        Breakpoints.
    margin_sizes : ndarray of shape (n_segments,)
        Rows on the margin in every segment.
    event_theta : ndarray of shape (n_events,)
        The theta of the events.
    wording : Wording
        What is written at the axes.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        Set by :meth:`plot`.
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    theta: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    indices: NDArray[np.intp]
    margin_edges: NDArray[np.float64]
    margin_sizes: NDArray[np.int64]
    event_theta: NDArray[np.float64]
    wording: Wording = field(default_factory=Wording)

    @classmethod
    def from_path(
        cls,
        path: SolutionPath | LinearProgramPath,
        indices: ArrayLike | None = None,
        n_rows: int = 12,
        max_segments: int = MAX_SEGMENTS,
    ) -> PathDisplay:
        """Collect what is shown.

        Parameters
        ----------
        path : SolutionPath or LinearProgramPath
            What to show.
        indices : array-like of int, optional
            Training rows; by default those whose coefficients vary most. Of a linear program
            machine, features.
        n_rows : int
            How many rows are chosen by default.
        max_segments : int
            Of how many segments, evenly among all, coefficients are collected. A smaller number
            saves time on paths over very many rows.

        Returns
        -------
        PathDisplay
            Not drawn yet.
        """
        if isinstance(path, LinearProgramPath):
            return cls(*program_lines(path, indices, n_rows, max_segments))
        breaks, kind = np.asarray(path.theta), path.parts[0].reading.kind
        wording = kind_called(kind).wording
        if indices is None:
            indices = _most_varying(path, breaks, n_rows, wording.signed)
        indices = np.atleast_1d(np.asarray(indices, dtype=int))
        theta = _both_ends(_thinned(breaks, max_segments + 1))
        coefficients = np.array([_heights(path, t, wording.signed)[indices] for t in theta])
        edges, sizes = path.margin_size()
        events = np.asarray(path.events["theta"], dtype=float)
        return cls(
            theta, coefficients, indices, np.asarray(edges), np.asarray(sizes), events, wording
        )

    def plot(
        self, ax: Axes | Sequence[Axes] | NDArray[Any] | None = None, *, n_bins: int = 50
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of three of them, optional
            Three panels, from top to bottom: coefficients, margin, events. A single one shows
            the coefficients only. By default a new figure with three panels.
        n_bins : int
            Intervals in which events are counted.

        Returns
        -------
        PathDisplay
            This display.
        """
        require_matplotlib()
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(
                3,
                sharex=True,
                figsize=(8, 7.5),
                layout="constrained",
                height_ratios=(3, 1.4, 1.2),
            )
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(axes) not in (1, 3):
            raise ValueError(f"A path is drawn on one or three axes, got {len(axes)}.")
        self._plot_coefficients(axes[0])
        if len(axes) == 3:
            self._plot_margin(axes[1])
            self._plot_events(axes[2], n_bins)
        for axis in axes:
            axis.set_xlim(self.margin_edges[0], self.margin_edges[-1])
            tidy(axis)
        axes[-1].set_xlabel(THETA_LABEL)
        self.axes_, self.figure_ = axes, axes[0].figure
        return self

    def _plot_coefficients(self, ax: Axes) -> None:
        styles = line_styles(len(self.indices))
        for column, (row, (color, dash)) in enumerate(zip(self.indices, styles, strict=True)):
            ax.plot(
                self.theta,
                self.coefficients[:, column],
                color=color,
                ls=dash,
                lw=1.4,
                label=f"{self.wording.row} {row}",
            )
        if self.wording.signed:
            ax.axhline(0.0, color="grey", lw=0.8, zorder=0)
        else:
            ax.set_ylim(bottom=0)
        ax.set_ylabel(self.wording.coefficient)
        if len(self.indices):
            ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)

    def _plot_margin(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        ax.stairs(self.margin_sizes, self.margin_edges, baseline=None, color=MAIN, lw=1.1)
        ax.set_ylim(0, max(1.0, 1.1 * self.margin_sizes.max()))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        ax.set_ylabel(fill(self.wording.margin, 12))

    def _plot_events(self, ax: Axes, n_bins: int) -> None:
        from matplotlib.ticker import MaxNLocator

        span = (self.margin_edges[0], self.margin_edges[-1])
        counts, edges = np.histogram(self.event_theta, bins=n_bins, range=span)
        ax.stairs(counts, edges, fill=True, color=ACCENT, alpha=0.8)
        ax.set_ylim(0, max(1.0, 1.1 * counts.max()))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
        ax.set_ylabel(f"events per\n{(span[1] - span[0]) / n_bins:.2g} of θ")


def plot_path(
    path: SolutionPath | LinearProgramPath,
    ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
    indices: ArrayLike | None = None,
    *,
    n_rows: int = 12,
    n_bins: int = 50,
) -> PathDisplay:
    """Draw coefficients, size of the margin and events of a path.

    Parameters
    ----------
    path : SolutionPath or LinearProgramPath
        What to draw.
    ax : matplotlib Axes or sequence of three of them, optional
        Where; see :meth:`PathDisplay.plot`.
    indices : array-like of int, optional
        Training rows whose coefficients are drawn; by default those that vary most.
    n_rows : int
        How many rows are chosen by default.
    n_bins : int
        Intervals in which events are counted.

    Returns
    -------
    PathDisplay
        Holds the data, ``axes_`` and ``figure_``.
    """
    return PathDisplay.from_path(path, indices, n_rows).plot(ax, n_bins=n_bins)


def _heights(path: SolutionPath, theta: float, signed: bool) -> NDArray[np.float64]:
    """Coefficient of every row, or its absolute value, summed over the subproblems."""
    coefficient = np.asarray(path.at(float(theta)).dual_coef)
    if not signed:
        coefficient = np.abs(coefficient)
    heights: NDArray[np.float64] = coefficient.reshape(-1, coefficient.shape[-1]).sum(axis=0)
    return heights


def _thinned(places: NDArray[np.float64], limit: int) -> NDArray[np.float64]:
    """At most ``limit`` of the theta, evenly among them, first and last included."""
    if len(places) <= limit:
        return places
    thinned: NDArray[np.float64] = places[
        np.linspace(0, len(places) - 1, limit).round().astype(int)
    ]
    return thinned


def _both_ends(breaks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Start and end of every segment: a coefficient may jump at a breakpoint."""
    return np.column_stack((breaks[:-1], np.nextafter(breaks[1:], -np.inf))).ravel()


def _most_varying(
    path: SolutionPath, breaks: NDArray[np.float64], n_rows: int, signed: bool
) -> NDArray[np.intp]:
    """Rows whose coefficients move the longest way, in increasing order."""
    probes = _thinned(breaks, N_PROBES)
    previous = _heights(path, probes[0], signed)
    way = np.zeros_like(previous)
    for theta in probes[1:]:
        coefficient = _heights(path, theta, signed)
        way += np.abs(coefficient - previous)
        previous = coefficient
    moving = np.argsort(-way, kind="stable")[:n_rows]
    return np.sort(moving[way[moving] > 0])
