"""Errors have fields, and the sentence is made of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import weightpath as wp
from weightpath.errors import Advice


def test_advice_is_written_as_python_or_in_other_words():
    settings = {"kernel": "rbf", "ridge": 1e-8, "max_events": 1200, "C": None}
    advice = Advice("Use {kernel}, {ridge}, {max_events} or a smaller {C}.", settings)
    assert str(advice) == 'Use kernel="rbf", ridge=1e-8, max_events=1200 or a smaller C.'
    words = advice.worded(lambda name, value: f"<{name}: {value}>")
    assert words == "Use <kernel: rbf>, <ridge: 1e-08>, <max_events: 1200> or a smaller <C: None>."


def test_the_sentence_is_what_happened_advice_and_how_to_keep_the_problem():
    class Problem:
        def save(self, file):
            raise NotImplementedError

    advice = Advice("Try {ridge}.", {"ridge": 0.25})
    error = wp.PathError("No way.", Problem(), advice=advice, theta=0.5)
    assert str(error) == "No way. Try ridge=0.25. error.save(file) keeps the problem."
    assert error.message == "No way." and error.theta == 0.5
    assert str(wp.PathError("No way.")) == "No way."


def test_fields_survive_the_way_from_a_worker_process():
    advice = Advice("Try {ridge}.", {"ridge": 0.25})
    error = wp.KernelNotPSDError("No way.", advice=advice, theta=0.5)
    error.args = ("Fold 1 of 3: No way.",)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is wp.KernelNotPSDError
    assert str(again) == "Fold 1 of 3: No way. Try ridge=0.25."
    assert again.advice == advice and again.theta == 0.5


def test_a_kernel_that_is_not_psd_names_what_to_set():
    random = np.random.default_rng(0)
    X, y = 3.0 * random.normal(size=(30, 2)), np.repeat([0, 1], 15)
    with pytest.raises(wp.KernelNotPSDError) as caught:
        wp.SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, y)
    settings = caught.value.advice.settings
    assert settings["kernel"] == "rbf" and settings["ridge"] > 0
    assert "Use" not in caught.value.message
