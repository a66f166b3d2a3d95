import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from weightpath.curves import Curve
from weightpath.metrics import names
from weightpath.plotting import CurveDisplay, plot_curve


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_steps_and_best(curve):
    display = plot_curve(curve)
    assert isinstance(display, CurveDisplay) and display.curve is curve
    assert display.figure_ is display.ax_.figure
    assert legend(display.ax_) == ["best: 0.1 at θ = 0.375, for θ from 0.25 to 0.5"]
    (steps,) = [p for p in display.ax_.patches if hasattr(p, "get_data")]
    assert np.array_equal(steps.get_data().values, curve.values)
    assert np.array_equal(steps.get_data().edges, curve.edges)
    assert "misclassification" in display.ax_.get_ylabel()
    assert "θ" in display.ax_.get_xlabel()


def test_curve_plot_uses_the_axes_given(curve):
    ax = Figure().subplots()
    display = curve.plot(ax=ax, label="fold 1", show_best=False)
    assert display.ax_ is ax and legend(ax) == ["fold 1"]


@pytest.mark.parametrize("metric", names())
def test_every_metric_has_a_label(metric):
    ax = plot_curve(Curve([0, 1], [[1, -2, 2]], metric)).ax_
    assert ax.get_ylabel() not in ("", metric) and "weights" not in ax.get_xlabel()


@pytest.mark.parametrize("columns", [2, 3])
def test_line_has_a_gap_at_a_jump_only(columns):
    coefficients = np.array([[1, -1, 0], [0.5, 1, 2], [3, 0, 1]], dtype=float)[:, :columns]
    display = plot_curve(Curve([0, 0.5, 0.75, 1], coefficients, "hinge"))
    assert np.isnan(display.value).sum() == 1
    shown = ~np.isnan(display.value)
    inner = shown & ~np.isin(display.theta, [0.5, 0.75])
    assert display.curve(display.theta[inner]) == pytest.approx(display.value[inner])


def test_without_matplotlib(curve, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"weightpath\[plot\]"):
        plot_curve(curve)


@pytest.mark.parametrize("columns", [1, 2])
def test_isolated_points_are_dots(columns):
    coefficients = np.array([[1, -1], [0.5, 1]], dtype=float)[:, :columns]
    curve = Curve([0, 0.5, 1], coefficients, point_theta=[0, 0.75], point_values=[3, 0.1])
    ax = plot_curve(curve, show_best=False, color="red").ax_
    (dots,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert dots.get_xdata().tolist() == [0, 0.75] and dots.get_ydata().tolist() == [3, 0.1]
    assert dots.get_linestyle() == "None" and dots.get_color() == "red"
    assert ax.get_ylim()[0] < 0.1 and ax.get_ylim()[1] > 3
    plain = plot_curve(Curve([0, 0.5, 1], coefficients), show_best=False).ax_
    assert not [line for line in plain.lines if line.get_marker() == "o"]


def test_a_point_may_be_the_best_place():
    curve = Curve([0, 1], [[1.0]], point_theta=[0], point_values=[0.5])
    assert legend(plot_curve(curve).ax_) == ["best: 0.5 at θ = 0"]
