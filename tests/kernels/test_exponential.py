"""The exponential of the rbf kernel, against exact decimal arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from weightpath.kernels._kernel_columns import exp_nonpositive

# Rounding of r (1/4), of the polynomial's last two sums (1/2 each); below 1 the spacing halves.
MAX_ULP = 1.5


def error_in_ulp(x: float, computed: float) -> float:
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(x).exp()
        return float(abs(Decimal(computed) - exact) / Decimal(float(np.spacing(float(exact)))))


@pytest.mark.parametrize("lowest", [-1e-12, -1e-3, -1.0, -20.0, -707.9])
def test_accurate(lowest):
    x = np.random.default_rng(0).uniform(lowest, 0.0, 1000)
    values = exp_nonpositive(x)
    assert max(map(error_in_ulp, x.tolist(), values.tolist())) < MAX_ULP


def test_accurate_where_the_reduction_switches():
    # Half-integer multiples of ln 2, where r is largest.
    x = -(np.arange(1021) + 0.5) * np.log(2.0)
    x = np.concatenate([x, np.nextafter(x, 0.0), np.nextafter(x, -np.inf)])
    x = x[x >= -708.0]
    assert max(map(error_in_ulp, x.tolist(), exp_nonpositive(x).tolist())) < MAX_ULP


def test_special_arguments():
    x = np.array([0.0, -0.0, -708.0, -708.1, -1e5, -1e300, -np.inf, -1e-300])
    values = exp_nonpositive(x)
    assert values[0] == values[1] == values[7] == 1.0
    assert values[2] > 0.0
    assert (values[3:7] == 0.0).all()


def test_not_a_number_stays():
    assert np.isnan(exp_nonpositive(np.array([np.nan, -1.0]))[0])


def test_never_increases_away_from_zero():
    x = -np.sort(np.random.default_rng(1).exponential(50.0, 20000))
    values = exp_nonpositive(x)
    assert (np.diff(values) <= 0.0).all()


def test_same_value_at_every_place_of_a_vector():
    x = np.random.default_rng(2).uniform(-30.0, 0.0, 7)
    for value in x:
        assert len(set(exp_nonpositive(np.full(37, value)))) == 1
