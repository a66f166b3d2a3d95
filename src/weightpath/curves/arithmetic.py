"""Plus, minus, times and divided by, for curves."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightpath.curves.curve import Curve

__all__ = ["Arithmetic"]


class Arithmetic(ABC):
    """Operators of :class:`~weightpath.curves.Curve`.

    Sums and differences are of curves that agree in domain and direction, or of a curve and a
    number. The difference of two losses is again a loss, that of the first compared with the
    second. A negative factor changes the direction: minus a score is a loss.
    """

    greater_is_better: bool

    # NumPy's numbers leave the operators to the curve.
    __array_ufunc__ = None

    def __add__(self, other: Arithmetic | float) -> Curve:
        if isinstance(other, Arithmetic):
            return self._combined([self, other], [1.0, 1.0])
        if not isinstance(other, Real):
            return NotImplemented
        return self._scaled(1.0, other)

    __radd__ = __add__

    def __sub__(self, other: Arithmetic | float) -> Curve:
        if isinstance(other, Arithmetic):
            return self._combined([self, other], [1.0, -1.0])
        if not isinstance(other, Real):
            return NotImplemented
        return self._scaled(1.0, -other)

    def __rsub__(self, other: float) -> Curve:
        if not isinstance(other, Real):
            return NotImplemented
        return self._scaled(-1.0, other)

    def __mul__(self, number: float) -> Curve:
        if not isinstance(number, Real):
            return NotImplemented
        return self._scaled(number)

    __rmul__ = __mul__

    def __truediv__(self, number: float) -> Curve:
        if not isinstance(number, Real):
            return NotImplemented
        if number == 0:
            raise ZeroDivisionError("A curve cannot be divided by zero.")
        return self._scaled(number, divide=True)

    def __neg__(self) -> Curve:
        return self._scaled(-1.0)

    def _scaled(self, factor: float, offset: float = 0.0, divide: bool = False) -> Curve:
        better = self.greater_is_better != (factor < 0)
        divisor = factor if divide else 1.0
        factors = [1.0 if divide else factor]
        return self._combined([self], factors, offset, divisor, better)

    def _combined(
        self,
        curves: Sequence[Arithmetic],
        factors: Sequence[float],
        offset: float = 0.0,
        divisor: float = 1.0,
        greater_is_better: bool | None = None,
    ) -> Curve:
        from weightpath.curves.combine import combination

        return combination(curves, factors, offset, divisor, greater_is_better)
