"""Options of the model, and the estimator that they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from weightpath.cli.errors import InputError
from weightpath.cli.help import Function, ParameterType, SectionOption, add_options

__all__ = ["GAMMA", "ModelSettings", "PositiveNumber", "make_estimator", "model_options"]

KERNELS = ("linear", "poly", "rbf", "sigmoid")


class PositiveNumber(ParameterType):
    """A positive number, or one of some words.

    Parameters
    ----------
    *words : str
        What else is allowed.
    """

    name = "number"

    def __init__(self, *words: str):
        self.words = words

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float | str:
        """Return the number, or the word."""
        if value in self.words:
            return str(value)
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0.0 < number < float("inf"):
            choices = " or ".join(("a positive number", *self.words))
            self.fail(f"{value!r} is not {choices}", parameter, context)
        return number

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the words."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


GAMMA = PositiveNumber("scale", "auto")
_option = partial(click.option, cls=SectionOption, section="Model")
_positive = PositiveNumber()
_not_negative = click.FloatRange(min=0.0)

OPTIONS = [
    _option(
        "--C",
        "C",
        type=_positive,
        metavar="C",
        help="Weights are multiplied by it; not for one-class. [default: 1]",
    ),
    _option(
        "--kernel",
        type=click.Choice(KERNELS),
        default="rbf",
        show_default=True,
        metavar="KERNEL",
        help="linear, poly, rbf or sigmoid (which may not be positive semidefinite).",
    ),
    _option(
        "--gamma",
        type=GAMMA,
        default="scale",
        show_default=True,
        metavar="G",
        help="A number, scale (1 / features / weighted variance) or auto (1 / features).",
    ),
    _option("--degree", type=click.IntRange(min=1), metavar="D", help="Of poly. [default: 3]"),
    _option("--coef0", type=float, metavar="X", help="Of poly and sigmoid. [default: 0]"),
    _option(
        "--epsilon",
        type=_not_negative,
        metavar="E",
        help="Regression: errors up to it cost nothing. [default: 0.1]",
    ),
    _option(
        "--quantile",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        metavar="Q",
        help="The quantile of --task quantile. [default: 0.5]",
    ),
    _option(
        "--nu",
        type=click.FloatRange(0.0, 1.0, min_open=True),
        metavar="NU",
        help="One-class: at most this share of the weight is outside. [default: 0.5]",
    ),
    _option(
        "--ridge",
        type=_not_negative,
        metavar="R",
        help="Added to the diagonal of the kernel matrix; not for ranking. [default: 0]",
    ),
    _option(
        "--cache-size",
        type=_positive,
        metavar="MB",
        help="Memory for kernel values. [default: 200, for ranking 1200]",
    ),
    _option(
        "--max-events",
        type=click.IntRange(min=1),
        default=1_000_000,
        show_default=True,
        metavar="N",
        help="A path stops after this many events.",
    ),
]

# Options that only some tasks have.
OWN = {
    "C": ("classification", "regression", "quantile", "ranking"),
    "epsilon": ("regression",),
    "quantile": ("quantile", "regression"),
    "nu": ("one-class",),
}


def model_options(command: Function) -> Function:
    """Give a command the options of this module."""
    return add_options(command, OPTIONS)


@dataclass(frozen=True)
class ModelSettings:
    """What the options say, by their names; None where one was not given."""

    C: float | None
    kernel: str
    gamma: float | str
    degree: int | None
    coef0: float | None
    epsilon: float | None
    quantile: float | None
    nu: float | None
    ridge: float | None
    cache_size: float | None
    max_events: int


def make_estimator(task: str, settings: ModelSettings) -> Any:
    """Return the estimator of a task, not fitted; options that it does not have are refused."""
    import weightpath as wp

    _refuse_strangers(task, settings)
    given = {"degree": settings.degree, "coef0": settings.coef0}
    given |= {"ridge": settings.ridge, "cache_size": settings.cache_size}
    common: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    common |= {
        "kernel": settings.kernel,
        "gamma": settings.gamma,
        "max_events": settings.max_events,
    }
    if task == "one-class":
        return wp.OneClassSVM(nu=0.5 if settings.nu is None else settings.nu, **common)
    common["C"] = 1.0 if settings.C is None else settings.C
    if task == "classification":
        return wp.SVC(**common)
    if task == "ranking":
        return wp.RankingSVM(**common)
    if task == "quantile" or settings.quantile is not None:
        quantile = 0.5 if settings.quantile is None else settings.quantile
        return wp.QuantileSVR(quantile=quantile, **common)
    return wp.SVR(epsilon=0.1 if settings.epsilon is None else settings.epsilon, **common)


def _refuse_strangers(task: str, settings: ModelSettings) -> None:
    for name, tasks in OWN.items():
        if getattr(settings, name) is not None and task not in tasks:
            raise InputError(f"--{name} is for --task {' or '.join(tasks)}.")
    if settings.epsilon is not None and settings.quantile is not None:
        raise InputError("--epsilon and --quantile exclude each other: take one of them.")
    if settings.ridge is not None and task == "ranking":
        raise InputError("--ridge is not for ranking, whose problem needs none.")
    if settings.degree is not None and settings.kernel != "poly":
        raise InputError(f"--degree is for --kernel poly; the kernel is {settings.kernel}.")
    if settings.coef0 is not None and settings.kernel not in ("poly", "sigmoid"):
        raise InputError(f"--coef0 is for --kernel poly or sigmoid; it is {settings.kernel}.")
