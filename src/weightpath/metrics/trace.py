"""From a path and validation data to a curve."""

from __future__ import annotations

from functools import partial
from typing import Any

from weightpath.curves.curve import Curve, named
from weightpath.curves.isolated import with_isolated_values
from weightpath.metrics.metric import Metric
from weightpath.metrics.outputs import outputs_of_path
from weightpath.metrics.registry import get, resolve
from weightpath.metrics.validation import check_rows

__all__ = ["trace_curve"]


def trace_curve(
    path: Any,
    X: Any,
    y: Any,
    metric: str | Metric,
    sample_weight: Any = None,
    **options: Any,
) -> Curve:
    r"""A metric on validation data as an exact function of the position on a path.

    Decision values are exactly linear in theta between breakpoints, so every theta where the
    metric changes is computed, not searched for on a grid.

    Parameters
    ----------
    path : SolutionPath
        The path.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Validation rows; for a precomputed kernel their kernel values with the training rows. Raw
        rows where the path is that of a pipeline.
    y : array-like of shape (n_rows,)
        Labels of the validation rows; for regression their values.
    metric : str or Metric
        A name of :func:`weightpath.metrics.names`, or a metric itself.

        For classifiers, of two classes and of more, a function of the confusion matrix:
        "zero_one", the misclassification rate, "accuracy", "balanced_accuracy", "precision",
        "recall", "f1", "matthews", "cost"; and "demographic_parity" and "equal_opportunity", the
        largest difference between groups. For two classes also "hinge", the mean hinge loss. What
        each means for several classes is in :mod:`weightpath.metrics.classification`.

        For regression, with the errors :math:`e = y - f(x)`, the mean of

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
        :math:`\sum_i v_i`; multiply by that sum for a total. Confusion matrices hold sums of
        weights. For "auc" and "average_precision" weights of rows as in scikit-learn; for "ndcg"
        and "precision_at_k" weights of queries, the same for all rows of one.
    **options
        Options of the metric; one that it does not take is an error.

        - ``cost_matrix``, array-like of shape (n_classes, n_classes), for "cost": in row i and
          column j what it costs to predict class j where class i is true.
        - ``groups``, array-like of shape (n_rows,), for "demographic_parity" and
          "equal_opportunity": the group of each row.
        - ``qid``, array-like of shape (n_rows,), for metrics of the order: only rows of the same
          query are ranked against each other, and the value is the mean over queries. Queries in
          which "auc" or "average_precision" is not defined are left out of it; those without a
          relevant row count as zero for the other two. By default all rows are one query.
        - ``k``, int: how many rows of a query count, for "ndcg" (by default all) and
          "precision_at_k" (where it must be given). More than a query has means all.
        - ``convention``, "sklearn", "exponential" or "paper": gains and discounts of "ndcg" for
          rank j, :math:`y / \log_2(j + 1)` as scikit-learn's ``ndcg_score`` (the default),
          :math:`(2^y - 1) / \log_2(j + 1)`, or :math:`(2^y - 1) / \max(1, \log_2 j)` as in [1]_.
        - ``epsilon``, float: the :math:`\epsilon \ge 0` of "epsilon_insensitive". By default that
          of the path's model, which must be one for all rows and stay the same on the path.
        - ``quantile``, float: the :math:`\tau` of "pinball", from 0 to 1. By default that of the
          path's model, which must stay the same on the path, and 0.5 if the model has none.

    Returns
    -------
    Curve
        Piecewise quadratic for "squared", piecewise linear for the other losses of regression and
        "hinge"; a step function for metrics of labels and of the order. At ``path.isolated_theta``
        it has the value of the model there, as an isolated point where that differs.

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
    # Here, so that the names of metrics are known without scikit-learn.
    from weightpath.path.given import check_points

    outputs = outputs_of_path(path)
    chosen = get(metric, outputs)
    rows = check_rows(check_points(path, X), y, sample_weight, outputs)
    # From here on the rows are those that the kernel sees.
    path = getattr(path, "on_prepared_rows", path)
    resolved = resolve(chosen, options, rows)
    curve = chosen.along(path, rows, **resolved)
    if len(path.isolated_theta):
        along = partial(chosen.along, rows=rows, **resolved)
        curve = with_isolated_values(curve, path, along)
    return named(curve, chosen.name, chosen.greater_is_better)
