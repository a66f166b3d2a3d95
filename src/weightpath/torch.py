"""Decision values as a function of weights, C and the like, for PyTorch.

``pip install weightpath[torch]`` installs what is needed. The values are those of an exact model,
reached from a fitted one along an exact path, and the derivatives those of ``model.gradient``.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:  # pragma: no cover
    raise ModuleNotFoundError(
        "weightpath.torch needs PyTorch: pip install weightpath[torch] (the build for processors "
        "is enough).",
        name="torch",
    ) from error

from weightpath.engine import COMPLETE
from weightpath.errors import Advice, PathError
from weightpath.estimators.gradient import Gradient

__all__ = ["decision_function"]


class _Values(torch.autograd.Function):
    """Decision values of a model that was moved to given quantities."""

    @staticmethod
    def forward(ctx: Any, model: Any, X: Any, names: tuple[str, ...], *given: Any) -> Any:
        there = copy(model)
        destination = {name: _plain(value) for name, value in zip(names, given, strict=True)}
        if destination:
            path = there.move(**destination)
            if getattr(path, "status", COMPLETE) != COMPLETE:
                raise PathError(
                    f"The path to these quantities was {path.status}, and the model is not there.",
                    advice=Advice("Raise {max_events} of the model.", {"max_events": None}),
                )
        values = _evaluated(there, X)
        ctx.there, ctx.X, ctx.names = there, X, names
        ctx.shapes = [value.shape if torch.is_tensor(value) else None for value in given]
        ctx.kinds = [
            (value.dtype, value.device) if torch.is_tensor(value) else None for value in given
        ]
        like = next((value for value in given if torch.is_tensor(value)), None)
        kind = {} if like is None else {"dtype": like.dtype, "device": like.device}
        return torch.as_tensor(values, **kind)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, cotangent: Any) -> tuple[Any, ...]:
        found: Gradient = ctx.there.gradient(ctx.X, cotangent.detach().cpu().double().numpy())
        slopes: list[Any] = []
        for k, name in enumerate(ctx.names):
            if not ctx.needs_input_grad[3 + k]:
                slopes.append(None)
                continue
            own = np.asarray(found[name])
            if len(ctx.shapes[k]) == 0:
                # One number for all instances.
                own = own.sum()
            dtype, device = ctx.kinds[k]
            slopes.append(torch.as_tensor(own, dtype=dtype, device=device).reshape(ctx.shapes[k]))
        return (None, None, None, *slopes)


def decision_function(model: Any, X: Any, sample_weight: Any = None, **quantities: Any) -> Any:
    r"""Return decision values as a tensor that remembers what they depend on.

    The model is moved, exactly, to the given quantities; their derivatives are one-sided at
    breakpoints, see :class:`weightpath.Gradient`. The fitted model itself stays where it is.

    Parameters
    ----------
    model : estimator
        A fitted estimator with a method ``move``. Those with ``nu`` do not move; move their
        ``to_svc()`` or ``to_svr()``.
    X : array-like, tensor or sparse matrix of shape (n, n_features)
        Instances. There are no derivatives with respect to them.
    sample_weight : tensor of shape (n_samples,) or None, default=None
        Weights, as ``move`` takes them; as they are if not given.
    **quantities : tensor or number
        What else ``move`` takes: ``C``, ``y`` or ``margin``, ``epsilon``, ``quantile``, ``nu``,
        ``pair_weight``, ``alpha``, ``penalty_weight``.

    Returns
    -------
    tensor
        The decision values; predictions of a regression.

    Examples
    --------
    >>> import torch
    >>> import weightpath as wp
    >>> from weightpath.torch import decision_function
    >>> toy = wp.datasets.make_toy(60, random_state=0)
    >>> model = wp.SVC(gamma=0.5).fit(toy.X, toy.y)
    >>> C = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    >>> decision_function(model, toy.X, C=C).sum().backward()
    >>> bool(torch.isfinite(C.grad))
    True
    """
    given: dict[str, Any] = dict(quantities)
    if sample_weight is not None:
        given["sample_weight"] = sample_weight
    _check(model, given)
    rows = X.detach().cpu().double().numpy() if torch.is_tensor(X) else X
    return _Values.apply(model, rows, tuple(given), *given.values())


def _check(model: Any, given: Mapping[str, Any]) -> None:
    """Raise if a tensor asks for a derivative that there is none of."""
    if not hasattr(model, "move") or not hasattr(model, "gradient"):
        raise TypeError(
            f"decision_function needs a fitted estimator of weightpath that moves; got a "
            f"{type(model).__name__}."
        )
    if torch.is_tensor(given.get("class_weight")):
        raise TypeError("There is no derivative by class_weight: give sample_weight instead.")


def _plain(value: Any) -> Any:
    """Return a tensor as what ``move`` takes: a number or an array."""
    if not torch.is_tensor(value):
        return value
    array = value.detach().cpu().double().numpy()
    return float(array) if array.ndim == 0 else array


def _evaluated(model: Any, X: Any) -> Any:
    """Return decision values; of a regression the predictions."""
    return (getattr(model, "decision_function", None) or model.predict)(X)
