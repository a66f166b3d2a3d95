"""Plus, minus, times and divided by, for curves."""

from __future__ import annotations

from numbers import Real

__all__ = ["Arithmetic"]


class Arithmetic:
    """Operators of :class:`~weightpath.curves.Curve`.

    Sums and differences are of curves that agree in domain and direction, or of a curve and a
    number. The difference of two losses is again a loss, that of the first compared with the
    second. A negative factor changes the direction: minus a score is a loss.
    """

    greater_is_better: bool

    # NumPy's numbers leave the operators to the curve.
    __array_ufunc__ = None

    def __add__(self, other):
        if isinstance(other, Arithmetic):
            return self._combined([self, other], [1.0, 1.0])
        return self._scaled(1.0, other)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, Arithmetic):
            return self._combined([self, other], [1.0, -1.0])
        return self._scaled(1.0, -other) if isinstance(other, Real) else NotImplemented

    def __rsub__(self, other):
        return self._scaled(-1.0, other)

    def __mul__(self, number):
        return self._scaled(number)

    __rmul__ = __mul__

    def __truediv__(self, number):
        if not isinstance(number, Real):
            return NotImplemented
        if number == 0:
            raise ZeroDivisionError("A curve cannot be divided by zero.")
        return self._scaled(number, divide=True)

    def __neg__(self):
        return self._scaled(-1.0)

    def _scaled(self, factor, offset=0.0, divide=False):
        if not (isinstance(factor, Real) and isinstance(offset, Real)):
            return NotImplemented
        better = self.greater_is_better != (factor < 0)
        divisor = factor if divide else 1.0
        factors = [1.0 if divide else factor]
        return self._combined([self], factors, offset, divisor, better)

    def _combined(self, curves, factors, offset=0.0, divisor=1.0, greater_is_better=None):
        from weightpath.curves.combine import combination

        return combination(curves, factors, offset, divisor, greater_is_better)
