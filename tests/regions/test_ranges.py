"""Ranges of single weights are what paths of single weights say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import weightpath as wp
from regions.planes import toy_model
from regions.test_critical import one_class, regression


def weighted():
    toy = wp.datasets.make_toy(80, random_state=1)
    weight = np.where(np.arange(80) % 13 == 0, 0.0, 1.0)
    return wp.SVC(C=2.0, gamma=0.5, class_weight={1: 3.0}).fit(toy.X, toy.y, weight)


def quantile():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    return wp.QuantileSVR(C=1.0, quantile=0.3, gamma=0.5).fit(X, rng.normal(size=60))


def ridged():
    toy = wp.datasets.make_toy(60, random_state=2)
    return wp.SVC(C=2.0, gamma=0.5, ridge=0.1).fit(toy.X, toy.y)


MODELS = {
    "svc": lambda: toy_model(80),
    "class and zero weights": weighted,
    "svr": regression,
    "closed tubes": lambda: regression(30, 0.0),
    "nothing on the margin": lambda: regression(30, 9.0),
    "quantile": quantile,
    "one class": one_class,
    "ridge": ridged,
}


@pytest.mark.parametrize("name", MODELS)
def test_ranges_are_those_of_paths(name):
    model = MODELS[name]()
    ranges = wp.weight_ranges(model)
    n_events = 0
    for i in range(len(ranges)):
        for end, goal in (("lower", 0.0), ("upper", ranges.weight[i] + 4.0)):
            n_events += check_one(model, ranges, i, end, goal)
    assert n_events > 0 or name == "nothing on the margin"
    assert (ranges.lower <= ranges.weight).all()
    assert (ranges.upper >= ranges.weight).all()


def check_one(model, ranges, i, end, goal):
    """Compare one end of a range with the path of that weight alone; count its event."""
    start = ranges.weight[i]
    limit, index = getattr(ranges, end)[i], getattr(ranges, f"{end}_index")[i]
    weight = ranges.weight.copy()
    weight[i] = goal
    if goal == start:
        return 0
    path = model.path_to(sample_weight=weight)
    within = abs(limit - start) < abs(goal - start)
    if not within or index < 0:
        # At weight zero itself the sets of the row coincide.
        assert path.n_events == 0 or path.events["theta"].min() > 1 - 1e-9 or not within
        return 0
    event = path.events[0]
    assert start + event["theta"] * (goal - start) == pytest.approx(limit, abs=1e-9)
    if event["theta"] > 0.0:
        assert event["index"] == index
        before, after = (getattr(ranges, f"{end}_{what}")[i] for what in ("before", "after"))
        assert (event["from"], event["to"]) == (before, after)
    return 1


def test_tables_have_the_names_of_rows():
    toy = wp.datasets.make_toy(40, random_state=0)
    frame = pd.DataFrame(toy.X, index=[f"row {k}" for k in range(40)], columns=["a", "b"])
    ranges = wp.weight_ranges(wp.SVC(C=1.0, gamma=0.5).fit(frame, toy.y))
    table = ranges.to_frame()
    assert table.index[3] == "row 3"
    assert list(table.columns) == [
        "weight",
        "lower",
        "lower_index",
        "lower_before",
        "lower_after",
        "upper",
        "upper_index",
        "upper_before",
        "upper_after",
    ]
    assert "40 instances" in repr(ranges)
    assert "WeightRanges" in ranges._repr_html_()


def test_models_of_several_classes_are_refused():
    toy = wp.datasets.make_toy(40, random_state=0)
    with pytest.raises(ValueError, match="two classes"):
        wp.weight_ranges(wp.SVC().fit(toy.X, np.arange(40) % 3))
