"""The page within a notebook, in a real browser: the frame, and the module of the widget."""

import pytest
from numpy.testing import assert_allclose

from page.watching import settle, wait_until
from weightpath.page.packing import embedded_json
from weightpath.page.script_text import style, widget_script

pytestmark = pytest.mark.second_stage

PROMISED = 1e-9


def test_frame_of_a_notebook(open_page, case, tmp_path):
    """An exported notebook: the frame stands in another document, opened from a file."""
    one = case("svc")
    frame = one.path.show(one.curve, one.X, one.y)._repr_html_()
    file = tmp_path / "exported.html"
    file.write_text(
        f"<!DOCTYPE html><meta charset=utf-8><h1>Notebook</h1>{frame}", encoding="utf-8"
    )
    page = open_page.file(file)
    inside = page.frames[1]
    wait_until(inside, "window.weightpath && window.weightpath.frame.count > 0")
    inside.evaluate("window.weightpath.go(0.25)")
    coef = inside.evaluate("Array.from(window.weightpath.at(0.25).dualCoef[0])")
    assert_allclose(coef, one.path.at(0.25).dual_coef, atol=PROMISED)


def test_widget_follows_python_and_tells_it(open_page, case, tmp_path):
    """The module of the widget with a model as anywidget has it."""
    module = widget_script().replace("export default { render };", "window.render = render;")
    data = embedded_json(case("svc").data())
    host = """
      const record = document.getElementById("record").textContent;
      const listeners = {}, traits = {record, theta: 0.25};
      window.saved = [];
      window.model = {get: (k) => traits[k], set: (k, v) => { traits[k] = v; },
        save_changes: () => window.saved.push(traits.theta),
        on: (n, f) => { listeners[n] = f; }, off: (n) => { delete listeners[n]; }};
      window.fromPython = (theta) => { traits.theta = theta; listeners["change:theta"]?.(); };
      window.away = render({model: window.model, el: document.getElementById("cell")});
    """
    file = tmp_path / "widget.html"
    file.write_text(
        f"<!DOCTYPE html><meta charset=utf-8><style>{style()}</style><div id=cell></div>"
        f'<script type="application/json" id=record>{data}</script>'
        f'<script type="module">{module}{host}</script>',
        encoding="utf-8",
    )
    page = open_page.file(file)
    page.wait_for_selector(".wp-slider")
    settle(page)
    assert float(page.locator(".wp-slider").input_value()) == 0.25
    assert page.evaluate("window.saved") == []
    page.evaluate("window.fromPython(0.75)")
    settle(page)
    assert float(page.locator(".wp-slider").input_value()) == 0.75
    assert page.evaluate("window.saved") == []
    page.locator(".wp-slider").focus()
    page.keyboard.press("Home")
    settle(page)
    assert page.evaluate("window.saved") == [0]
    page.evaluate("window.away()")
    assert page.locator(".weightpath").count() == 0
