"""Arguments of scikit-learn's support vector machines that mean nothing here.

Code that was written for ``sklearn.svm`` passes them. What is harmless is taken without effect;
what asks for something that an exact fit does not do is refused, with a sentence that says what to
use.
"""

from __future__ import annotations

import numbers
from reprlib import repr as shorten
from typing import Any

import numpy as np

__all__ = ["check_sklearn_arguments"]


def check_sklearn_arguments(model: Any) -> None:
    """Raise if an argument asks for what the estimator does not do.

    Parameters
    ----------
    model : estimator
        One that may have the parameters ``shrinking``, ``probability``, ``verbose``, ``max_iter``
        and ``random_state``.
    """
    name, params = type(model).__name__, model.__dict__
    for switch in ("shrinking", "verbose"):
        value = params.get(switch, False)
        if not isinstance(value, (bool, np.bool_, numbers.Integral)) or value < 0:
            raise ValueError(
                f"{switch} must be True or False (it has no effect), got {shorten(value)}."
            )
    # "deprecated" is the default of scikit-learn from version 1.9 on.
    probability = params.get("probability", False)
    if not (probability is None or isinstance(probability, (bool, np.bool_, str))):
        raise ValueError(f"probability must be False, got {shorten(probability)}.")
    if probability not in (False, None, "deprecated"):
        raise ValueError(
            f"{name} has no probability=True. Use sklearn.calibration.CalibratedClassifierCV("
            f"{name}(...), ensemble=False), which has predict_proba; scikit-learn advises it too."
        )
    max_iter = params.get("max_iter", -1)
    whole = isinstance(max_iter, numbers.Integral) and not isinstance(max_iter, (bool, np.bool_))
    if not whole or max_iter < -1:
        raise ValueError(
            f"max_iter must be a whole number >= -1 (it has no effect: the fit is exact; "
            f"max_events limits the length of paths), got {shorten(max_iter)}."
        )
