import base64
import io
import sys
from html.parser import HTMLParser

import pytest

from weightpath.curves import Curve
from weightpath.plotting import write_html

VOID = {"meta", "img", "source"}


class Page(HTMLParser):
    """Collects addresses and cells, and checks that elements nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.cells, self.tags = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "srcset", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("th", "td"):
            self.cells.append(data)


def written(*args, **kwargs):
    stream = io.StringIO()
    write_html(args[0], stream, *args[1:], **kwargs)
    return stream.getvalue()


def test_summary(path, curve):
    page = Page(written(path, curve))
    cells = dict(zip(page.cells[::2], page.cells[1::2], strict=True))
    assert cells["Training rows"] == "10" and cells["Events"] == "19"
    assert cells["Segments"] == "20"
    assert f"{path.sizes.mean():.2f}" in cells["Rows on the margin"]
    assert cells["Status"] == "Reached the end <at last> & in time."
    assert cells["Largest KKT violation at 11 places"] == "1.1e-12"
    assert cells["Duality gap at θ = 0"] == "2e-14"
    assert cells["Duality gap at θ = 1"] == "5e-14"
    assert cells["Best θ"] == "0.375" and cells["Holds on"] == "0.25 to 0.5"


@pytest.mark.parametrize(
    ("kind", "rows", "margin"),
    [
        ("svr", "Training rows", "Rows on the tube's edge"),
        ("lasso", "Features", "Features in use"),
    ],
)
def test_summary_without_classes(small_path, kind, rows, margin):
    curve = Curve([0, 1], [[1, -2, 2]], "squared")
    text = written(small_path(kind=kind), curve)
    page = Page(text)
    cells = dict(zip(page.cells[::2], page.cells[1::2], strict=True))
    assert cells[rows] == "10" and margin in cells
    assert cells["Best θ"] == "0.5" and cells["Holds on"] == "a single place"
    assert "on the margin" not in text and "class" not in text.lower()


def test_page_asks_for_nothing(path, curve):
    page = Page(written(path, curve))
    assert len(page.addresses) == 4
    for address in page.addresses:
        kind, data = address.split(",")
        assert kind == "data:image/svg+xml;base64"
        assert b"<svg" in base64.b64decode(data)
    assert not {"script", "link", "iframe"} & set(page.tags)


def test_texts_are_escaped(path):
    text = written(path, title="<script>alert('$1')</script>")
    assert "<script" not in text and "&lt;script&gt;" in text


def test_same_path_same_page(path, curve):
    assert written(path, curve) == written(path, curve)


def test_written_to_a_file(path, tmp_path):
    target = tmp_path / "path.html"
    write_html(path, target, n_checks=3)
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "Curve" not in Page(text).cells
    assert path.asked == [0.0, 0.5, 1.0]


def test_a_failure_leaves_no_file(path, tmp_path):
    def fail(theta):
        raise RuntimeError("no certificate")

    path.kkt_violation = fail
    with pytest.raises(RuntimeError, match="no certificate"):
        write_html(path, tmp_path / "path.html")
    assert not (tmp_path / "path.html").exists()


def test_pyplot_is_left_alone(path, curve):
    from matplotlib import pyplot

    written(path, curve)
    assert not pyplot.get_fignums()


def test_without_matplotlib(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"weightpath\[plot\]"):
        written(path)
