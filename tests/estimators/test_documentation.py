"""The documentation of the estimators: examples run, everything is described."""

import doctest
import inspect

import pytest

import weightpath as wp
from estimators.samples import shown_by
from weightpath.estimators import svc

METHODS = [
    name
    for name, member in inspect.getmembers(wp.SVC, inspect.isfunction)
    if not name.startswith("_") and member.__module__.startswith("weightpath")
]


def test_examples():
    outcome = doctest.testmod(svc)
    assert outcome.attempted >= 5 and outcome.failed == 0


def test_methods_are_known():
    expected = {"fit", "predict", "decision_function", "reweight", "move", "add", "remove", "slide"}
    assert expected <= set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_parameters_and_results_are_described(name):
    method = getattr(wp.SVC, name)
    text = inspect.getdoc(method)
    described = text.partition("Parameters\n----------\n")[2]
    for parameter in list(inspect.signature(method).parameters)[1:]:
        assert f"{parameter} : " in described or f"**{parameter}\n" in described
    assert "Returns\n-------\n" in text


def test_parameters_and_attributes_of_the_class_are_described():
    text = inspect.getdoc(wp.SVC)
    for parameter in inspect.signature(wp.SVC).parameters:
        assert f"\n{parameter} : " in text
    model = wp.SVC(kernel="linear").fit([[0.0], [1.0]], [0, 1])
    for name in [*shown_by(model), "coef_", "feature_names_in_"]:
        if name.endswith("_") and not name.startswith("_"):
            assert f"\n{name} : " in text
