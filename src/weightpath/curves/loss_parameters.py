"""The numbers in the losses of regression: given by the caller, or known from the path."""

from __future__ import annotations

from numbers import Real

import numpy as np

__all__ = ["LOSS_PARAMETERS", "loss_parameters"]

# Every metric that has a parameter: its name, its largest value, and its value where neither the
# caller nor the path knows one (as scikit-learn's mean_pinball_loss); None where there is none.
LOSS_PARAMETERS = {
    "epsilon_insensitive": ("epsilon", np.inf, None),
    "pinball": ("quantile", 1.0, 0.5),
}


def loss_parameters(path, metric, given) -> dict[str, float]:
    """Parameters of a metric.

    Parameters
    ----------
    path : SolutionPath
        Asked for what has not been given.
    metric : str
        Name of the metric.
    given : dict
        What the caller said, by name; None for what was left out.

    Returns
    -------
    dict
        Empty for a metric without parameters.
    """
    if metric not in LOSS_PARAMETERS:
        return {}
    name, largest, default = LOSS_PARAMETERS[metric]
    value = given[name]
    if value is None:
        value = _known(path, metric, name)
    if value is None:
        value = default
    if value is None:
        raise ValueError(f"The metric {metric!r} needs {name}=: the path does not tell it.")
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not number or not np.isfinite(value) or not 0 <= value <= largest:
        span = "finite and not negative" if largest == np.inf else f"from 0 to {largest:g}"
        raise ValueError(f"{name} must be one number, {span}; got {value!r}.")
    return {name: float(value)}


def _known(path, metric, name) -> float | None:
    """The value at which the path's model was trained, if it is the same all along the path."""
    values = np.unique(np.concatenate([np.empty(0), *_told(path.params, name)]))
    if values.size > 1:
        raise ValueError(
            f"The metric {metric!r} needs {name}=: on this path it takes several values, from "
            f"{values[0]:.6g} to {values[-1]:.6g}."
        )
    return float(values[0]) if values.size else None


def _told(params, name) -> list[np.ndarray]:
    """What is said of a quantity: row by row at both ends, or as an attribute, or a parameter."""
    ends = [params[end].get(name) for end in ("start", "end") if end in params]
    line = params.get("lines", {}).get(name + "_", ())
    for told in (ends, line, [params.get("params", {}).get(name)], [params.get(name)]):
        known = [np.ravel(value) for value in told if value is not None]
        known = [value.astype(float) for value in known if value.dtype.kind in "iuf"]
        if known:
            return known
    return []
