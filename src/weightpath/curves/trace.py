"""From a path and validation data to a curve: checks, then the metric's own module."""

from __future__ import annotations

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.hinge import binary_hinge
from weightpath.curves.isolated import with_isolated_values
from weightpath.curves.loss_parameters import loss_parameters
from weightpath.curves.ranking import (
    RANK_METRICS,
    auc,
    average_precision,
    ndcg,
    precision_at_k,
    rank_parameters,
)
from weightpath.curves.regression import (
    absolute_error,
    epsilon_insensitive_error,
    pinball_error,
    squared_error,
)
from weightpath.curves.zero_one import binary_zero_one, voted_zero_one
from weightpath.path.points import check_points
from weightpath.problems.kind import kind_called

__all__ = ["METRICS", "trace_curve"]


def _binary(path) -> bool:
    return path.classes is not None and path.pairs is None


def _one_against_one(path) -> bool:
    return path.classes is not None and path.pairs is not None


def _regression(path) -> bool:
    single = path.classes is None and path.pairs is None and len(path.parts) == 1
    return single and kind_called(path.parts[0].reading.kind).has_targets


def _ranked(path) -> bool:
    return path.pairs is None and len(path.parts) == 1


# For every metric the kinds of path it is defined on, and the function that traces it there.
METRICS = {
    "zero_one": ((_binary, binary_zero_one), (_one_against_one, voted_zero_one)),
    "hinge": ((_binary, binary_hinge),),
    "squared": ((_regression, squared_error),),
    "absolute": ((_regression, absolute_error),),
    "epsilon_insensitive": ((_regression, epsilon_insensitive_error),),
    "pinball": ((_regression, pinball_error),),
    "auc": ((_ranked, auc),),
    "average_precision": ((_ranked, average_precision),),
    "ndcg": ((_ranked, ndcg),),
    "precision_at_k": ((_ranked, precision_at_k),),
}

# The options that a metric takes, where it takes any.
OPTIONS = {
    "epsilon_insensitive": ("epsilon",),
    "pinball": ("quantile",),
    **RANK_METRICS,
}


def trace_curve(
    path,
    X,
    y,
    metric,
    sample_weight=None,
    qid=None,
    k=None,
    epsilon=None,
    quantile=None,
    convention=None,
) -> Curve:
    r"""A metric on validation data as an exact function of the position on a path.

    Decision values are exactly linear in theta between breakpoints, so every place where the
    metric changes is computed, not searched for on a grid.

    Parameters
    ----------
    path : SolutionPath
        The path.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Validation rows; for a precomputed kernel their kernel values with the training rows.
    y : array-like of shape (n_rows,)
        Labels of the validation rows; for regression their values.
    metric : str
        For classification "zero_one", the misclassification rate (two or more classes), or
        "hinge", the mean hinge loss (two classes). For regression, with the errors
        :math:`e = y - f(x)`, the mean of

        - "squared": :math:`e^2`;
        - "absolute": :math:`|e|`;
        - "epsilon_insensitive": :math:`\max(0, |e| - \epsilon)`;
        - "pinball": :math:`\tau \max(0, e) + (1 - \tau) \max(0, -e)`.

        For paths with one decision function, of the order of its values: "auc" and
        "average_precision", "ndcg" of the first k rows and "precision_at_k", the share of the
        relevant among them. Relevant is the second of two classes; of a path without classes
        y is the relevance, and relevant what has more than zero ("auc" and "average_precision"
        then need two different values).
    sample_weight : array-like of shape (n_rows,), optional
        Costs :math:`v_i \ge 0`. Values are always weighted means, losses divided by
        :math:`\sum_i v_i`; multiply by that sum for a total. For "auc" and "average_precision"
        weights of rows as in scikit-learn; for "ndcg" and "precision_at_k" weights of queries,
        the same for all rows of one.
    qid : array-like of shape (n_rows,), optional
        Queries, for metrics of the order: only rows of the same query are ranked against each
        other, and the value is the mean over queries. Queries in which "auc" or
        "average_precision" is not defined are left out of it; those without a relevant row
        count as zero for the other two. By default all rows are one query.
    k : int, optional
        How many rows of a query count, for "ndcg" (by default all) and "precision_at_k" (where
        it must be given). More than a query has means all.
    epsilon : float, optional
        The :math:`\epsilon \ge 0` of "epsilon_insensitive". By default that of the path's model,
        which must be one for all rows and stay the same on the path.
    quantile : float, optional
        The :math:`\tau` of "pinball", from 0 to 1. By default that of the path's model, which must
        stay the same on the path, and 0.5 if the model has none.
    convention : {"sklearn", "exponential", "paper"}, optional
        Gains and discounts of "ndcg" on the j-th place: :math:`y / \log_2(j + 1)` as
        scikit-learn's ``ndcg_score`` (the default), :math:`(2^y - 1) / \log_2(j + 1)`, or
        :math:`(2^y - 1) / \max(1, \log_2 j)` as in [1]_.

    Returns
    -------
    Curve
        Piecewise quadratic for "squared", piecewise linear for the other losses of regression and
        "hinge"; a step function for "zero_one" and metrics of the order. At ``path.isolated_theta``
        it has the value of the model there, as an isolated point where that is another one.

    Notes
    -----
    Rows whose values are equal along a stretch of theta, such as equal rows of X, are tied. Ties
    are treated as in scikit-learn: a draw in the AUC, one threshold in the average precision, the
    mean over all orders of the tied rows in the other two metrics of the order.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath import SVC
    >>> X = np.array([[-2.0], [-1.0], [0.5], [-0.5], [1.0], [2.0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> path = SVC(gamma=1.0).fit(X, y).reweight([1, 1, 4, 0, 1, 1])
    >>> path.curve(X, y, "auc").values.round(3)
    array([0.889, 1.   , 0.667])
    >>> path.curve(X, y, "precision_at_k", k=1, qid=[1, 1, 2, 1, 2, 2]).values
    array([1. , 0.5])

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
       algorithm for instance-weighted support vector machines. Machine Learning 88, 2012,
       sections 4.1 and 6.
    """
    trace = _tracer(path, metric)
    given = {
        "qid": qid,
        "k": k,
        "epsilon": epsilon,
        "quantile": quantile,
        "convention": convention,
    }
    for name, value in given.items():
        if value is not None and name not in OPTIONS.get(metric, ()):
            owners = ", ".join(repr(m) for m, options in OPTIONS.items() if name in options)
            raise ValueError(f"The metric {metric!r} takes no {name}: it is for {owners}.")
    parameters = loss_parameters(path, metric, given) | rank_parameters(metric, given)
    X = check_points(path, X)
    target = _numbers(y) if path.classes is None else _encode(y, path.classes)
    if len(target) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows but y has {len(target)}.")
    weight = _weights(sample_weight, len(target))

    def along(path):
        return trace(path, X, target, weight, **parameters)

    curve = along(path)
    return with_isolated_values(curve, path, along) if len(path.isolated_theta) else curve


def _tracer(path, metric):
    known = isinstance(metric, str) and metric in METRICS
    for suits, trace in METRICS[metric] if known else ():
        if suits(path):
            return trace
    possible = [m for m, kinds in METRICS.items() if any(suits(path) for suits, _ in kinds)]
    if path.classes is None:
        kind = "a path without classes"
    elif path.pairs is None:
        kind = "a path between two classes"
    else:
        kind = f"a path with {len(path.classes)} classes, one against one"
    reason = (
        f"The metric {metric!r} is not defined for" if known else f"Unknown metric {metric!r} of"
    )
    raise ValueError(f"{reason} {kind}; possible here: {', '.join(map(repr, possible)) or 'none'}.")


def _column(y) -> np.ndarray:
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got the shape {y.shape}.")
    return y


def _numbers(y) -> np.ndarray:
    """The true values of regression."""
    y = _column(y)
    message = f"y must be numbers for a path without classes, got values of type {y.dtype}."
    if y.dtype.kind not in "biufO":
        raise ValueError(message)
    try:
        y = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(message) from error
    if not np.isfinite(y).all():
        raise ValueError("y must be finite: it has infinite values or NaN.")
    return y


def _encode(y, classes) -> np.ndarray:
    """Index of every label among the classes."""
    y = _column(y)
    index = {label: i for i, label in enumerate(np.asarray(classes).tolist())}
    labels = y.tolist()
    unknown = [label for label in dict.fromkeys(labels) if label not in index]
    if unknown:
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        known = ", ".join(map(repr, index))
        raise ValueError(f"y has labels the path does not know: {shown}. Its classes are: {known}.")
    return np.array([index[label] for label in labels], dtype=np.intp)


def _weights(sample_weight, n_rows) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=float)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    if weight.sum() <= 0:
        raise ValueError("sample_weight is zero everywhere: a weighted mean needs some weight.")
    return weight
