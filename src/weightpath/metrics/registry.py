"""All metrics by their names: those of the library, and those that users register."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from weightpath.metrics.metric import Metric, Option
from weightpath.metrics.outputs import Outputs
from weightpath.metrics.validation import ValidationRows

__all__ = [
    "built_in",
    "get",
    "label_of",
    "names",
    "options",
    "register",
    "resolve",
    "suitable",
    "unregister",
]

Kind = TypeVar("Kind", bound=type[Metric])

_BUILT_IN: dict[str, Metric] = {}
_REGISTERED: dict[str, Metric] = {}


def built_in(kind: Kind) -> Kind:
    """Class decorator: make a metric of the library known."""
    metric = kind()
    _BUILT_IN[metric.name] = metric
    return kind


def register(metric: Metric) -> Metric:
    """Make a metric known by its name, to curves, searches, plots and the command line.

    Parameters
    ----------
    metric : Metric
        With a name that no metric of the library has. A registered metric of the same name is
        replaced.

    Returns
    -------
    Metric
        The same.

    Examples
    --------
    >>> import weightpath as wp
    >>> miss = wp.metrics.of_confusion(lambda m: m[1, 0] / m[1].sum(), "miss_rate", False)
    >>> wp.metrics.register(miss)
    <metric 'miss_rate'>
    >>> "miss_rate" in wp.metrics.names()
    True
    >>> wp.metrics.unregister("miss_rate")
    """
    if not isinstance(metric, Metric):
        raise TypeError(f"A metric is an instance of weightpath.metrics.Metric; got {metric!r}.")
    if not isinstance(metric.name, str) or not metric.name:
        raise ValueError(f"A metric needs a name; that of {type(metric).__name__} is empty.")
    if metric.name in _BUILT_IN:
        raise ValueError(f"The library has a metric {metric.name!r}: choose another name.")
    _REGISTERED[metric.name] = metric
    return metric


def unregister(name: str) -> None:
    """Forget a metric that was registered.

    Parameters
    ----------
    name : str
        Its name. An error if no metric has it, or if the metric belongs to the library.
    """
    if name not in _REGISTERED:
        raise ValueError(f"No metric {name!r} has been registered.")
    del _REGISTERED[name]


def _all() -> dict[str, Metric]:
    return {**_BUILT_IN, **_REGISTERED}


def names() -> list[str]:
    """Return the names of all metrics, those of the library first.

    Examples
    --------
    >>> import weightpath as wp
    >>> wp.metrics.names()[:3]
    ['zero_one', 'hinge', 'accuracy']
    """
    return list(_all())


def options() -> dict[str, Option]:
    """Return the options of all metrics by name; of several with one name the first."""
    found: dict[str, Option] = {}
    for metric in _all().values():
        for option in metric.options:
            found.setdefault(option.name, option)
    return found


def label_of(name: str) -> str:
    """Return the words for a metric on the axis of a plot; the name itself if it is unknown."""
    metric = _all().get(name)
    return name if metric is None else metric.label or name


def suitable(outputs: Outputs) -> list[str]:
    """Return the names of the metrics that are defined for what decision values stand for."""
    return [name for name, metric in _all().items() if metric.suits(outputs)]


def get(metric: str | Metric, outputs: Outputs | None = None) -> Metric:
    """Return the metric of a name; a metric itself is returned as it is.

    Parameters
    ----------
    metric : str or Metric
        A name or a metric.
    outputs : Outputs, optional
        What decision values stand for. Then the metric must be defined for that.

    Returns
    -------
    Metric
    """
    known = metric if isinstance(metric, Metric) else None
    if isinstance(metric, str):
        known = _BUILT_IN.get(metric) or _REGISTERED.get(metric)
    if known is not None and (outputs is None or known.suits(outputs)):
        return known
    if outputs is None:
        raise ValueError(f"Unknown metric {metric!r}; there are: {_quoted(names())}.")
    if known is None:
        reason = f"Unknown metric {metric!r} of"
    else:
        reason = f"The metric {known.name!r} is not defined for"
    possible = _quoted(suitable(outputs)) or "none"
    raise ValueError(f"{reason} {outputs}; possible here: {possible}.")


def resolve(metric: Metric, given: Mapping[str, Any], rows: ValidationRows) -> dict[str, Any]:
    """Return all options of a metric, checked.

    Parameters
    ----------
    metric : Metric
        The metric.
    given : mapping
        What the caller said, by name; None is the same as nothing.
    rows : ValidationRows
        Against which options are checked.

    Returns
    -------
    dict
        One entry for each option of the metric.
    """
    own = {option.name for option in metric.options}
    for name, value in given.items():
        # Those of a path's own ``curve``, which are None mostly.
        if name in own or (value is None and name in ("qid", "k")):
            continue
        owners = [m.name for m in _all().values() if name in {o.name for o in m.options}]
        if not owners:
            known = ", ".join([*options(), *sorted(own - set(options()))])
            raise TypeError(f"Unknown option {name!r}; metrics take {known}.")
        if value is not None:
            raise ValueError(
                f"The metric {metric.name!r} takes no {name}: it is for {_quoted(owners)}."
            )
    return {
        option.name: option.check(given.get(option.name), rows, metric.name)
        for option in metric.options
    }


def _quoted(words: list[str]) -> str:
    return ", ".join(map(repr, words))
