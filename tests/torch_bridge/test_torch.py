"""Decision values as a function of tensors: their derivatives pass PyTorch's own check."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weightpath as wp

torch = pytest.importorskip("torch", reason="PyTorch is not there: pip install weightpath[torch]")
from weightpath.torch import decision_function  # noqa: E402


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture
def rows(random):
    return random.normal(size=(30, 3))


@pytest.fixture
def points(random):
    return random.normal(size=(4, 3)) + 0.1


def tensor(values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def passes(function, *tensors):
    return torch.autograd.gradcheck(function, tensors)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_svc(rows, points, random, n_classes):
    score = rows[:, 0] + 0.4 * random.normal(size=30)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    model = wp.SVC(gamma=0.4).fit(rows, y)
    weight, margin, C = random.uniform(0.5, 2, 30), random.uniform(0.5, 1.5, 30), tensor(1.3)
    assert passes(
        lambda w, C, m: decision_function(model, points, w, C=C, margin=m),
        tensor(weight),
        C,
        tensor(margin),
    )


def test_svr_with_one_half_width_and_with_many(rows, points, random):
    y = np.sin(rows[:, 0]) + 0.2 * random.normal(size=30)
    model = wp.SVR(gamma=0.4).fit(rows, y)

    def values(w, C, y, e):
        return decision_function(model, points, w, C=C, y=y, epsilon=e)

    given = tensor(random.uniform(0.5, 2, 30)), tensor(2.0), tensor(y)
    assert passes(values, *given, tensor(0.1))
    assert passes(values, *given, tensor(random.uniform(0.05, 0.2, 30)))


def test_quantile_one_class_ranking_lasso(rows, points, random):
    y = np.sin(rows[:, 0]) + 0.2 * random.normal(size=30)
    weight = tensor(random.uniform(0.5, 2, 30))
    model = wp.QuantileSVR(gamma=0.4).fit(rows, y)
    assert passes(
        lambda w, t: decision_function(model, points, w, quantile=t), weight, tensor(0.37)
    )
    single = wp.OneClassSVM(gamma=0.4).fit(rows)
    assert passes(lambda w, nu: decision_function(single, points, w, nu=nu), weight, tensor(0.37))
    ranking = wp.RankingSVM(0.1, gamma=0.4).fit(rows[:12], np.repeat([0, 1, 2], 4))
    pairs = tensor(random.uniform(0.5, 2, len(ranking.pairs_)))
    assert passes(lambda w: decision_function(ranking, points, pair_weight=w), pairs)
    lasso = wp.Lasso(0.05).fit(rows, y)
    assert passes(
        lambda a, v, y: decision_function(lasso, points, alpha=a, penalty_weight=v, y=y),
        tensor(0.05),
        tensor([1.0, 1.5, 0.7]),
        tensor(y),
    )


def test_the_model_stays_and_single_precision_stays_single(rows, points):
    y = np.where(rows[:, 0] > 0, 1, -1)
    model = wp.SVC(gamma=0.4).fit(rows, y)
    before = model.decision_function(points)
    weight = torch.full((30,), 0.5, requires_grad=True)
    values = decision_function(model, torch.as_tensor(points), weight)
    assert values.dtype == torch.float32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wp.BreakpointWarning)
        values.sum().backward()
    assert weight.grad.dtype == torch.float32
    assert weight.grad.shape == (30,)
    np.testing.assert_array_equal(model.decision_function(points), before)
    moved = wp.SVC(gamma=model.gamma_).fit(rows, y, np.full(30, 0.5))
    np.testing.assert_allclose(values.detach().numpy(), moved.decision_function(points), atol=1e-6)


def test_without_tensors_there_is_nothing_to_derive(rows, points):
    model = wp.SVC(gamma=0.4).fit(rows, np.where(rows[:, 0] > 0, 1, -1))
    values = decision_function(model, points, np.ones(30), C=2.0)
    assert not values.requires_grad


def test_errors_say_what_to_do(rows, points):
    y = np.where(rows[:, 0] > 0, 1, -1)
    with pytest.raises(TypeError, match="to_svc"):
        decision_function(wp.NuSVC(gamma=0.4).fit(rows, y), points, tensor(np.ones(30)))
    model = wp.SVC(gamma=0.4).fit(rows, y)
    with pytest.raises(TypeError, match="sample_weight instead"):
        decision_function(model, points, class_weight=tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="that moves"):
        decision_function(object(), points)
    model.max_events = 1
    with pytest.warns(wp.EventCapWarning), pytest.raises(wp.PathError, match="max_events"):
        decision_function(model, points, tensor(np.linspace(0.01, 3, 30)))
