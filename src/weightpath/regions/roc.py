r"""The operating points of all class weights at all thresholds, and their convex hull."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import auc

from weightpath.engine.threads import single_blas
from weightpath.estimators.model_outputs import outputs_of_model
from weightpath.estimators.pipelines import last_step, path_to
from weightpath.metrics.validation import check_rows
from weightpath.path import SolutionPath
from weightpath.path.given import check_points
from weightpath.regions.roc_points import Origin, RocPoints

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.plotting.roc_display import RocDisplay

__all__ = ["RocHull", "roc_hull"]

Floats = NDArray[np.float64]

# The smallest share of a class that paths go to, step by step, until the last segment is long: from
# there on the scores of all rows are b + s g(x), and their order stays for all smaller shares.
SHARES = (1e-6, 1e-9, 1e-12)
LAST_SEGMENT = 100.0

# Positions that are tried for the widest gap around the threshold of a vertex.
POSITIONS = 48


@dataclass(frozen=True, eq=False)
class Leg:
    """A path between two shares of the second class."""

    path: SolutionPath
    start: float
    end: float

    def share(self, theta: Any) -> Any:
        """Return the share at a theta."""
        return self.start + theta * (self.end - self.start)


@dataclass(frozen=True, eq=False)
class RocHull:
    """The convex hull of all operating points that class weights and thresholds can give.

    Made by :func:`roc_hull`. All arrays have one entry for each vertex, with increasing ``fpr``.

    Attributes
    ----------
    fpr, tpr : ndarray
        False and true positive rates; from (0, 0) to (1, 1).
    share : ndarray
        The s of each vertex: its weights are C+ = 2 C s and C- = 2 C (1 - s).
    threshold : ndarray
        A row is predicted as positive if its decision value is above; infinite at both ends.
    classes : ndarray of shape (2,)
        The class labels, the positive one last.
    roc_fpr, roc_tpr : ndarray
        The ordinary ROC curve, of thresholds alone, at equal weights (s = 1/2).
    """

    fpr: Floats
    tpr: Floats
    share: Floats
    threshold: Floats
    classes: NDArray[Any]
    roc_fpr: Floats
    roc_tpr: Floats
    legs: tuple[Leg, ...]
    places: tuple[tuple[int, float], ...]

    def __len__(self) -> int:
        return len(self.fpr)

    def __repr__(self) -> str:
        area = f"area {self.auc:.4g}, by thresholds alone {self.auc_of_thresholds:.4g}"
        return f"<RocHull: {len(self)} vertices, {area}>"

    @property
    def auc(self) -> float:
        """The area under the hull."""
        return float(auc(self.fpr, self.tpr))

    @property
    def auc_of_thresholds(self) -> float:
        """The area under the ordinary ROC curve, at equal weights."""
        return float(auc(self.roc_fpr, self.roc_tpr))

    @property
    def class_weight(self) -> list[dict[Any, float]]:
        """The class weights of each vertex, as estimators take them."""
        negative, positive = self.classes.tolist()
        return [{negative: 2.0 * (1.0 - s), positive: 2.0 * s} for s in self.share]

    def model_at(self, vertex: int) -> Any:
        """Return the fitted model of a vertex; its threshold is ``threshold[vertex]``.

        Parameters
        ----------
        vertex : int
            The number of the vertex.

        Returns
        -------
        estimator or Pipeline
            As the model that the hull was made of.
        """
        leg, theta = self.places[vertex]
        return self.legs[leg].path.model_at(theta)

    def to_frame(self) -> DataFrame:
        """Return a table with one row for each vertex.

        Returns
        -------
        DataFrame
            Columns ``fpr``, ``tpr``, ``share``, ``weight_negative`` and ``weight_positive`` (class
            weights), and ``threshold``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "fpr": self.fpr,
                "tpr": self.tpr,
                "share": self.share,
                "weight_negative": 2.0 * (1.0 - self.share),
                "weight_positive": 2.0 * self.share,
                "threshold": self.threshold,
            }
        )

    def plot(self, ax: Any = None, **options: Any) -> RocDisplay:
        """Draw the hull and the ROC curve by thresholds alone.

        See :func:`weightpath.plotting.plot_roc_hull`.
        """
        from weightpath.plotting import plot_roc_hull

        return plot_roc_hull(self, ax, **options)


def roc_hull(model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> RocHull:
    r"""Return the convex hull of all operating points of class weights and thresholds.

    A classifier with the class weights :math:`C_+ = 2 C s` and :math:`C_- = 2 C (1 - s)` has a ROC
    curve for every s between 0 and 1. The exact path over s tells every order of the rows that
    occurs, hence all pairs of rates, and their convex hull. Each vertex is one model with one
    threshold; points between two vertices are reached by choosing one of the two at random.

    Parameters
    ----------
    model : SVC or Pipeline
        Fitted, of two classes; it stays as it is. Its C and the weights of its rows are kept, its
        class weights are replaced.
    X : array-like of shape (n_rows, n_features)
        Rows to judge by, raw ones for a pipeline.
    y : array-like of shape (n_rows,)
        Their labels; the second class of the model is the positive one.
    sample_weight : array-like of shape (n_rows,), optional
        Their weights in the rates.

    Returns
    -------
    RocHull

    Notes
    -----
    On the rows that it is made from the hull is optimistic, as every choice by validation data is:
    judge the chosen vertex by other rows.

    Examples
    --------
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> new = wp.datasets.make_toy(80, random_state=1)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> hull = wp.roc_hull(model, new.X, new.y)
    >>> bool(hull.auc > hull.auc_of_thresholds)
    True
    """
    last = last_step(model)
    if not is_classifier(last) or not hasattr(last, "path_to"):
        raise TypeError(
            "roc_hull needs a fitted classifier of this library, such as weightpath.SVC, or a "
            f"Pipeline whose last step is one; got {type(last).__name__}."
        )
    outputs = outputs_of_model(last)
    if outputs.pairs is not None:
        raise ValueError(f"roc_hull needs two classes; the model has {outputs.n_classes}.")
    with single_blas():
        legs = _legs(model, last.classes_)
        rows = check_rows(check_points(legs[0].path, X), y, sample_weight, outputs)
        positive = rows.target == 1
        if not (rows.weight[positive].sum() > 0 and rows.weight[~positive].sum() > 0):
            raise ValueError("roc_hull needs rows of both classes, with weight, in y.")
        points = RocPoints(positive, rows.weight)
        for number, leg in enumerate(legs):
            for block in leg.path.on_prepared_rows.iter_segments(rows.X):
                points.follow(number, *block)
        scores = legs[0].path.on_prepared_rows.decision_function(rows.X, 0.0)
        vertices = [_settled(origin, legs, rows.X) for origin in points.origins]
        vertices = [(0.5, np.inf, (0, 0.0)), *vertices, (0.5, -np.inf, (0, 0.0))]
    share, threshold, places = zip(*vertices, strict=True)
    roc = _roc(scores, positive, rows.weight)
    return RocHull(
        points.fpr,
        points.tpr,
        np.array(share),
        np.array(threshold),
        np.asarray(last.classes_),
        *roc,
        tuple(legs),
        tuple(places),
    )


def _legs(model: Any, classes: NDArray[Any]) -> list[Leg]:
    """Return the paths from equal weights to almost nothing for either class."""
    equal = path_to(model, class_weight=_weights(classes, 0.5)).model_at(1.0)
    legs = []
    for turned in (False, True):
        here, start = equal, 0.5
        for share in SHARES:
            end = 1.0 - share if turned else share
            path = path_to(here, class_weight=_weights(classes, end, share, turned))
            legs.append(Leg(path, start, end))
            length = (path.theta[-1] - path.theta[-2]) * abs(end - start)
            if length >= LAST_SEGMENT * share:
                break
            here, start = path.model_at(1.0), end
    return legs


def _weights(
    classes: NDArray[Any], s: float, small: float | None = None, turned: bool = False
) -> dict[Any, float]:
    """Class weights 2 (1 - s) and 2 s; ``small`` is the smaller share, without cancellation."""
    negative, positive = classes.tolist()
    low, high = (1.0 - s, s) if small is None else (1.0 - small, small)
    if turned:
        low, high = high, low
    return {negative: 2.0 * low, positive: 2.0 * high}


def _settled(origin: Origin, legs: list[Leg], X: Any) -> tuple[float, float, tuple[int, float]]:
    """Return share, threshold and place of a vertex, with the widest gap around the threshold."""
    leg = legs[origin.leg]
    path = leg.path.on_prepared_rows
    theta = path.theta
    # From the crossing outwards, near it in small steps, over two segments on each side.
    at = int(np.searchsorted(theta, origin.theta))
    left, right = theta[max(at - 3, 0)], theta[min(at + 2, len(theta) - 1)]
    steps = np.geomspace(1e-10, 1.0, POSITIONS)
    tried = np.concatenate(
        (
            [origin.theta],
            origin.theta + steps * (right - origin.theta),
            origin.theta - steps * (origin.theta - left),
        )
    )
    tried = np.clip(tried, theta[0], theta[-1])
    scores = path.decision_function(X, tried)
    low, high = scores[:, ~origin.top].max(axis=1), scores[:, origin.top].min(axis=1)
    spread = np.ptp(scores, axis=1)
    best = int(np.argmax((high - low) / np.where(spread > 0, spread, 1.0)))
    return (
        float(leg.share(tried[best])),
        float(0.5 * (low[best] + high[best])),
        (origin.leg, float(tried[best])),
    )


def _roc(scores: Floats, positive: NDArray[np.bool_], weight: Floats) -> tuple[Floats, Floats]:
    """Return the ROC curve of given scores, equal scores at one threshold."""
    place = np.unique(-scores, return_inverse=True)[1]
    rates = []
    for some in (~positive, positive):
        total = np.cumsum(np.bincount(place, weight * some))
        rates.append(np.append(0.0, total / total[-1]))
    return rates[0], rates[1]
