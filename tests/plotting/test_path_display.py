import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from weightpath.plotting import PathDisplay, plot_path


def test_three_panels_share_theta(path):
    display = plot_path(path)
    assert isinstance(display, PathDisplay) and len(display.axes_) == 3
    assert {ax.get_xlim() for ax in display.axes_} == {(0.0, 1.0)}
    assert display.figure_ is display.axes_[0].figure
    assert all(ax.get_ylabel() for ax in display.axes_)
    assert [bool(ax.get_xlabel()) for ax in display.axes_] == [False, False, True]
    display.figure_.canvas.draw()


def test_display_holds_the_coefficients(path):
    display = plot_path(path, indices=[2, 5])
    assert display.indices.tolist() == [2, 5]
    expected = [path.at(theta).dual_coef[[2, 5]] for theta in display.theta]
    assert np.array_equal(display.coefficients, np.abs(expected))
    assert len(display.axes_[0].lines) == 2
    assert len(display.event_theta) == 19


def test_words_of_classification(path):
    axes = plot_path(path, indices=[2]).axes_
    assert axes[0].get_ylabel().startswith("|coefficient|") and axes[0].get_ylim()[0] == 0
    assert axes[1].get_ylabel() == "rows on the\nmargin"


@pytest.mark.parametrize(
    ("kind", "label", "margin"),
    [
        ("svr", "row 2", "rows on the\ntube's edge"),
        ("quantile", "row 2", "rows met\nexactly"),
        ("lasso", "feature 2", "features in\nuse"),
        ("yet unknown", "row 2", "rows on the\nmargin"),
    ],
)
def test_coefficients_without_classes_are_signed(small_path, kind, label, margin):
    path = small_path(kind=kind)
    display = plot_path(path, indices=[2])
    expected = [path.at(theta).dual_coef[[2]] for theta in display.theta]
    assert np.array_equal(display.coefficients, expected)
    top, middle, _ = display.axes_
    assert top.get_ylim()[0] < display.coefficients.min() < 0
    assert top.get_ylabel().startswith("coefficient")
    assert top.get_legend().get_texts()[0].get_text() == label
    assert middle.get_ylabel() == margin


def test_rows_that_change_their_sign_vary(small_path):
    path = small_path(3, kind="svr")
    path.table[:] = 1.0
    path.table[:, 1] = np.where(np.arange(21) < 10, 2.0, -2.0)
    assert plot_path(path).indices.tolist() == [1]


def test_default_rows_are_those_that_vary_most(path):
    path.table[:, 4] *= 10
    path.table[:, 7] *= 20
    assert plot_path(path, n_rows=2).indices.tolist() == [4, 7]
    assert 0 not in plot_path(path).indices
    assert len(plot_path(path).indices) == 9


def test_all_events_are_counted(path):
    ax = plot_path(path, n_bins=10).axes_[2]
    (bars,) = ax.patches
    assert bars.get_data().values.sum() == len(path.events)
    assert "0.1 of θ" in ax.get_ylabel()


def test_own_axes(path):
    axes = Figure().subplots(3)
    assert plot_path(path, axes).axes_.tolist() == axes.tolist()
    ax = Figure().subplots()
    assert plot_path(path, ax).axes_.tolist() == [ax]
    with pytest.raises(ValueError, match="one or three axes"):
        plot_path(path, axes[:2])


def test_long_paths_are_thinned(small_path):
    display = PathDisplay.from_path(small_path(3, 2000))
    assert len(display.theta) == 1000
    assert display.theta[0] == 0 and display.theta[-1] == np.nextafter(1, 0)
    assert len(display.margin_sizes) == 2000


def test_coefficients_of_several_parts_are_added(path):
    single = path.at
    path.at = lambda theta: type("S", (), {"dual_coef": np.tile(single(theta).dual_coef, (2, 1))})
    display = PathDisplay.from_path(path, [1])
    assert display.coefficients[0] == pytest.approx(2 * np.abs(path.table[0, [1]]))


def test_without_matplotlib(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"weightpath\[plot\]"):
        plot_path(path)
