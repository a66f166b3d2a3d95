"""A solution with everything needed to go on from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import quick_init
from weightpath.problems.position import Positions

__all__ = ["State"]


@quick_init
@dataclass(frozen=True, eq=False, repr=False)
class State:
    """An exact solution with everything needed to go on from it.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Coefficients.
    bias : float
        The bias.
    position : ndarray of shape (n,), int32
        The position of each row on its staircase.
    residual : ndarray of shape (n,)
        ``r = t - K beta - b``.
    margin : ndarray of shape (n_margin,)
        The free rows, in the order of the factor.
    tolerance : float
        How close to a level a residual can be told from it; 0 where it has not been measured.
    n_since : int
        Events since the residuals were computed from the kernel; paths carry them on.
    peak : float
        The largest reach of the coefficients since then, on which roundings depend.
    """

    beta: NDArray[np.float64]
    bias: float
    position: Positions
    residual: NDArray[np.float64]
    margin: NDArray[np.intp]
    tolerance: float = 0.0
    n_since: int = 0
    peak: float = 0.0

    # Beside what the solution consists of: the loop that has found it.
    __slots__ = ("__dict__", "__weakref__", "_kept")

    def keep(self, loop: Any) -> None:
        """Keep the loop that has reached this state, for a path that goes on from here."""
        object.__setattr__(self, "_kept", [loop])

    def take(self) -> Any:
        """Return the loop that was kept, or ``None``; only one path can go on with it."""
        try:
            return object.__getattribute__(self, "_kept").pop()
        except (AttributeError, IndexError):
            return None

    @classmethod
    def with_late_residual(
        cls,
        beta: NDArray[np.float64],
        bias: float,
        position: Positions,
        residual: Callable[[], NDArray[np.float64]],
        margin: NDArray[np.intp],
    ) -> State:
        """Return a state whose residuals, a product with the kernel, are made when first read."""
        state = object.__new__(cls)
        state.__dict__.update(
            beta=beta, bias=bias, position=position, margin=margin, _late_residual=residual
        )
        return state

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there: the residuals, once, if they are to be made late.
        late = self.__dict__.get("_late_residual")
        if name != "residual" or late is None:
            raise AttributeError(f"A State has no attribute {name!r}.")
        residual = self.__dict__["residual"] = late()
        self.__dict__.pop("_late_residual", None)
        return residual

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __repr__(self) -> str:
        return (
            f"<State: {self.beta.size} rows, {self.margin.size} on the margin, "
            f"{np.count_nonzero(self.beta)} with a coefficient, bias={self.bias:.6g}>"
        )
