"""The table of metrics in the documents is what the registry says."""

import re
from pathlib import Path

import numpy as np

from weightpath.metrics import Outputs, get, names

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
TWO, THREE = (Outputs.of_classes(np.arange(n)) for n in (2, 3))
VALUES, SCORES = Outputs(), Outputs(predicts=False)
FOR = {
    "classes": [True, True, False, False],
    "two classes": [True, False, False, False],
    "scores": [True, False, True, True],
    "values": [False, False, True, False],
}


ROW = re.compile(r"^\| `(\w+)` \| ([\w ]+) \| (\w+) \| .*\|([^|]*)\|$", re.MULTILINE)


def test_every_metric_has_its_true_row(monkeypatch):
    # What was registered elsewhere is no part of the library.
    monkeypatch.setattr("weightpath.metrics.registry._REGISTERED", {})
    rows = ROW.findall(PAGE.read_text("utf-8"))
    assert [row[0] for row in rows] == names()
    for name, where, better, options in rows:
        metric = get(name)
        assert better == ("higher" if metric.greater_is_better else "lower")
        assert re.findall(r"`(\w+)`", options) == [option.name for option in metric.options]
        assert [metric.suits(kind) for kind in (TWO, THREE, VALUES, SCORES)] == FOR[where]
