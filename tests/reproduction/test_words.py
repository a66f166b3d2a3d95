"""Sentences say what the numbers say."""

from __future__ import annotations

import pytest

from reproduction.chapters.words import (
    Ratio,
    amount,
    contest_reading,
    count,
    growth_reading,
    ratio_of,
    spread,
    steady_reading,
    times,
)
from reproduction.contest import Timing


def at(C0, gamma=1.0):
    return {"gamma": gamma, "C0": float(C0)}


def test_a_rival_is_compared_on_the_repetitions_that_both_ran():
    ours = Timing([1.0, 1.0, 10.0])
    assert ratio_of(Timing([3.0]), ours).value == 3.0
    assert ratio_of(Timing([3.0, 3.0, 6.0]), ours).value == 1.0


def test_a_stopped_rival_is_at_least_so_slow():
    ratio = ratio_of(Timing([600.0], capped=True), Timing([2.0]))
    assert str(ratio) == "> 300" and ratio.is_faster and not ratio.is_open
    undecided = ratio_of(Timing([600.0], capped=True), Timing([800.0]))
    assert undecided.is_open and not undecided.is_faster


def test_contests_are_counted():
    cells = [
        (at(1), Ratio(0.5, False)),
        (at(10), Ratio(1.0, False)),  # a draw is no victory
        (at(100), Ratio(4.0, False)),
        (at(1000), Ratio(250.0, True)),
        (at(10_000), Ratio(0.8, True)),
    ]
    text = contest_reading("warm SMO", cells)
    assert "faster than warm SMO in 2 of 5 cells" in text
    assert "from 0.5 times (gamma = 1, C0 = 1) to more than 250 times" in text
    assert "in 1 of 5 cells it was stopped before that was decided" in text


def test_victory_everywhere_and_nowhere():
    assert "in all 2 cells" in contest_reading("x", [(at(1), Ratio(2, False))] * 2)
    assert "in 0 of 2 cells" in contest_reading("x", [(at(1), Ratio(0.2, False))] * 2)
    one = contest_reading("x", [(at(1), Ratio(2, False))])
    assert one == "The path was faster than x in 1 of 1 cell: the rival took 2 times as long."


def test_growth_is_from_the_smallest_to_the_largest_weight():
    costs = [
        (at(100), {"path": Timing([3.0]), "SMO": Timing([60.0], capped=True)}),
        (at(1), {"path": Timing([2.0]), "SMO": Timing([1.0])}),
        (at(10), {"path": Timing([50.0]), "SMO": Timing([50.0])}),
    ]
    text = growth_reading(costs, {"path": "the path", "SMO": "SMO"})
    assert text.startswith("With C0 from 1 to 100 the time changed: that of the path 1.5-fold")
    assert "that of SMO more than 60-fold (gamma = 1)" in text


def test_growth_is_silent_where_nothing_is_known():
    stopped = {"path": Timing([60.0], capped=True)}
    assert growth_reading([(at(1), stopped), (at(10), stopped)], {"path": "the path"}) == ""
    assert growth_reading([(at(1), {"path": Timing([1.0])})], {"path": "the path"}) == ""
    assert growth_reading([], {"path": "the path"}) == ""


def test_growth_names_ranges_that_differ():
    one = {"path": Timing([1.0])}
    costs = [(at(1), one), (at(10), one), (at(1, 0.1), one), (at(100, 0.1), one)]
    text = growth_reading(costs, {"path": "the path"})
    assert "(gamma = 1, C0 from 1 to 10)" in text and "(gamma = 0.1, C0 from 1 to 100)" in text


def test_the_claim_about_weights_is_judged_for_each_gamma():
    def line(gamma, *seconds):
        return [(at(10.0**k, gamma), {"path": Timing([s])}) for k, s in enumerate(seconds)]

    claim = "The paper's claim that the time of the path does not increase with C0"
    # What counts is the way from the smallest C0 to the largest, whatever lies between.
    grows, steady = line(10.0, 1.0, 0.5, 5.0) + line(1.0, 2.0, 2.6), line(0.1, 1.0, 9.0, 1.2)
    fails = "fails at gamma = 10 and 1, where it grew by more than 25 %"
    assert steady_reading(grows + steady) == f"{claim} {fails}, and holds at gamma = 0.1."
    assert steady_reading(grows) == f"{claim} {fails}."
    more = line(10.0, 2.0, 1.0) + line(1.0, 1.0, 1.0)
    assert steady_reading(more + steady) == f"{claim} holds at gamma = 10, 1 and 0.1."
    assert steady_reading(line(1.0, 1.0)) == steady_reading([]) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (float("nan"), "—"),
        (0, "0"),
        (1e-12, "1.0e-12"),
        (0.01234, "0.0123"),
        (12.34, "12.3"),
        (99.96, "100"),
        (1234.6, "1,235"),
        (-5.0, "-5"),
    ],
)
def test_amounts(value, text):
    assert amount(value) == text


def test_times_and_spreads():
    assert times(Timing([1.0, 2.0])) == "1.5"
    assert times(Timing([600.0], capped=True)) == "> 600"
    assert spread([1.0, 3.0], 2) == "2.00 (1.41)"
    assert spread([1.0], 1) == "1.0 (0.0)"
    assert count(3, 15, "cell") == "3 of 15 cells"
