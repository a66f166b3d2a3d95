"""A metric on fixed validation data as a function of decision values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics.metric import Metric
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.registry import get, resolve
from weightpath.metrics.validation import check_rows

__all__ = ["Evaluator"]


class Evaluator:
    """A metric on validation data, as a function of decision values alone.

    Everything is checked when it is made, also whether the metric is defined on these rows.

    Parameters
    ----------
    metric : str or Metric
        The metric.
    outputs : Outputs
        What decision values stand for.
    n_rows : int
        How many validation rows there are.
    y : array-like of shape (n_rows,)
        Their labels or values.
    sample_weight : array-like of shape (n_rows,) or None
        Their weights in the metric.
    given : mapping
        Options of the metric by name.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.metrics import Outputs
    >>> from weightpath.metrics.evaluator import Evaluator
    >>> value = Evaluator(
    ...     "auc", Outputs(classes=np.array(["ham", "spam"])), 3, ["ham", "spam", "spam"], None, {}
    ... )
    >>> value(np.array([0.1, 2.0, -1.0]))
    0.5
    """

    def __init__(
        self,
        metric: str | Metric,
        outputs: Outputs,
        n_rows: int,
        y: Any,
        sample_weight: Any,
        given: Mapping[str, Any],
    ):
        self.metric = get(metric, outputs)
        # At given values no metric looks at the features.
        self._rows = check_rows(np.empty((n_rows, 0)), y, sample_weight, outputs)
        self._options = resolve(self.metric, given, self._rows)
        # A metric that is not defined on these rows says so at any values: now, not after hours.
        self(np.zeros((n_rows, outputs.n_functions)))

    def __call__(self, values: NDArray[np.float64]) -> float:
        """Return the metric at decision values of shape (n_rows,) or (n_rows, n_functions)."""
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        return self.metric.at(values, self._rows, **self._options)
