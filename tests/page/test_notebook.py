"""The page in a notebook: a frame that survives export, and a widget with theta as a trait."""

import html
import json
import re
import sys

import pytest

from weightpath.page import PageView
from weightpath.page.script_text import style, widget_script


def test_frame_holds_the_page(case, tmp_path):
    svc = case("svc")
    view = svc.path.show(svc.curve, svc.X, svc.y, height=500)
    text = view._repr_html_()
    found = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" title="[^"]*" width="100%" height="500"[^>]*></iframe>', text
    )
    svc.path.to_html(tmp_path / "page.html", svc.curve, svc.X, svc.y)
    assert html.unescape(found[1]) == (tmp_path / "page.html").read_text(encoding="utf-8")


def test_short_repr(case):
    view = case("svc").path.show()
    assert re.fullmatch(r"<PageView: a page of 0\.\d\d MB; .*>", repr(view)) and "\n" not in repr(
        view
    )


def test_shown_at_once_within_ipython(case, monkeypatch):
    shown = []
    monkeypatch.setattr("weightpath.page.notebook._display", lambda: shown.append)
    assert case("svc").path.show() is None
    assert len(shown) == 1 and isinstance(shown[0], PageView)


def test_returned_without_a_running_ipython(monkeypatch, case):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert isinstance(case("svc").path.show(), PageView)


def test_small_table_stays(case):
    text = case("svc").path._repr_html_()
    assert text.startswith("<table>") and len(text) < 2000 and "iframe" not in text


class TestWidget:
    @pytest.fixture
    def widget(self, case):
        pytest.importorskip("anywidget")
        svc = case("svc")
        return svc.path.widget(svc.curve, svc.X, svc.y, theta=0.25)

    def test_theta_is_watched_and_set(self, widget):
        seen = []
        widget.observe(lambda change: seen.append(change["new"]), "theta")
        widget.theta = 0.5
        assert seen == [0.5] and widget.trait_metadata("theta", "sync")

    def test_starts_where_it_is_told(self, widget):
        assert widget.theta == 0.25

    @pytest.mark.parametrize("theta", [-0.1, 1.1, float("nan")])
    def test_theta_beyond_the_path_is_refused(self, widget, theta):
        with pytest.raises(Exception, match="theta must be between 0 and 1"):
            widget.theta = theta
        assert widget.theta == 0.25

    def test_record_is_that_of_the_page(self, widget, case):
        assert json.loads(widget.record)["path"]["n"] == case("svc").path.n_rows

    def test_one_source_for_page_and_widget(self, widget):
        assert str(widget._esm) == widget_script() and str(widget._css) == style()
        assert widget_script().rstrip().endswith("export default { render };")


def test_without_anywidget(case, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'weightpath\[widget\]'"):
        case("svc").path.widget()


def test_widget_script_drives_a_model(node, tmp_path):
    """The module of the widget can be imported, and offers what anywidget asks for."""
    import subprocess

    module = tmp_path / "widget.mjs"
    module.write_text(widget_script(), encoding="utf-8")
    code = f"import w from {json.dumps(module.as_uri())}; console.log(typeof w.render)"
    answer = subprocess.run(
        [node, "--input-type=module", "-e", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "function"
