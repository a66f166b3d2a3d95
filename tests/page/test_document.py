"""The page as a file: one, whole, without requests, with all texts as texts."""

import base64
import hashlib
import io
import json
import re
import sys
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import weightpath as wp
from page.cases import CASES, HOSTILE, Case, svc
from weightpath.page import write_html
from weightpath.page.script_text import modules, page_script, style
from weightpath.problems import kinds

VOID = {"meta"}


class Page(HTMLParser):
    """Collects elements, addresses and texts, and checks that elements nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.addresses, self.tags, self.texts = [], [], [], {}
        self.attributes = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        self.addresses += [v for k, v in attrs if k in ("src", "srcset", "href", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    @property
    def policy(self):
        return next(
            own["content"] for _, own in self.attributes if own.get("http-equiv") is not None
        )

    @property
    def data(self):
        return json.loads(self.texts["script"][0])


def written(path, *args, **kwargs):
    stream = io.StringIO()
    write_html(path, stream, *args, **kwargs)
    return stream.getvalue()


def page_of(case, **options):
    given = {"qid": case.qid, "sample_weight": case.weight, "names": case.names}
    return written(case.path, case.curve, case.X, case.y, **given, **options)


@pytest.mark.parametrize("name", CASES)
def test_page_asks_for_nothing(case, name):
    page = Page(page_of(case(name), n_checks=2))
    assert not page.addresses
    assert not {"link", "iframe", "img", "object", "form"} & set(page.tags)
    assert page.tags.count("script") == 2
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in page.policy and "http" not in page.policy


def test_policy_names_the_script_and_the_style(case):
    page = Page(page_of(case("svc")))
    for text in (page.texts["script"][1], page.texts["style"][0]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.policy


@pytest.mark.parametrize("name", CASES)
def test_data_has_the_facts(case, name):
    path, data = case(name).path, Page(page_of(case(name))).data["path"]
    wording = kinds()[path.parts[0].reading.kind].wording
    assert data["n"] == path.n_rows and data["segments"] == len(path)
    assert data["wording"]["rows"] == wording.rows
    assert data["wording"]["margin"] == wording.margin and "$" not in str(data["wording"])
    assert data["certificate"]["status"] == path.status.message
    assert max(data["certificate"]["violation"]) < 1e-9 and len(data["certificate"]["theta"]) == 11
    assert (data["outputs"]["classes"] is None) == (path.classes is None)


def test_hostile_texts_stay_texts(case):
    several = case("several-classes")
    for title in HOSTILE:
        text = page_of(several, title=title)
        page = Page(text)
        assert page.tags.count("script") == 2 and "img" not in page.tags
        shown = title.encode("utf-8", "replace").decode()
        assert page.data["title"] == shown
        assert page.data["path"]["names"][: len(HOSTILE)] == [
            name.encode("utf-8", "replace").decode() for name in HOSTILE
        ]
        text.encode("utf-8")


def test_same_path_same_page(case):
    assert page_of(case("svc")) == page_of(case("svc"))


def test_written_to_a_file(case, tmp_path):
    path, target = case("svc").path, tmp_path / "path.html"
    path.to_html(target, n_checks=3)
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert page.data["curve"] is None and page.data["path"]["certificate"]["theta"] == [0, 0.5, 1]
    assert page.data["judged"]["own"] is True


def test_a_failure_leaves_the_old_file(case, tmp_path):
    target = tmp_path / "path.html"
    target.write_text("before")
    with pytest.raises(ValueError, match=r"page would have \d+ MB, more than max_mb=0.01"):
        case("svc").path.to_html(target, max_mb=0.01)
    assert target.read_text() == "before" and len(list(tmp_path.iterdir())) == 1


def test_matplotlib_is_not_needed(case, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert page_of(case("svc")).startswith("<!DOCTYPE html>")


def test_names_of_rows(case):
    path, n = case("svc").path, case("svc").path.n_rows
    names = [f"person {i}" for i in range(n)]
    assert Page(written(path, names=names)).data["path"]["names"] == names
    assert Page(written(path)).data["path"]["names"] is None
    with pytest.raises(
        ValueError, match=f"names has 3 entries, but the path has {n} training rows"
    ):
        written(path, names=["a", "b", "c"])
    lasso = Page(page_of(case("lasso"))).data["path"]["names"]
    assert lasso[0] == "feature a" and len(lasso) == 8


def test_names_of_rows_to_predict(case):
    several = case("several-classes")
    frame = pd.DataFrame(np.asarray(several.X), columns=["x", "y"]).set_axis(
        [f"new {i}" for i in range(40)]
    )
    data = Page(written(several.path, None, frame, several.y)).data
    assert data["judged"]["names"][39] == "new 39"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": [0, 1]}, "y belongs to rows: give X, too"),
        ({"qid": [0, 1]}, "qid belongs to rows: give X, too"),
        ({"X": [[0.0, 1.0]], "sample_weight": [1.0]}, "sample_weight needs y"),
        ({"X": [[0.0, 1.0]], "y": [3]}, "y has labels the path does not know"),
        ({"X": [[0.0]]}, "X has 1 features"),
        ({"X": [[0.0, 1.0]], "y": [1, 1]}, "X has 1 rows but y has 2"),
    ],
)
def test_wrong_rows_are_refused(case, given, message):
    with pytest.raises(ValueError, match=message):
        written(case("svc").path, **given)


def test_page_is_light():
    """Two thousand rows with margins of four members."""
    toy = wp.datasets.make_toy(2000, random_state=0)
    path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)
    curve = path.curve(toy.X, toy.y, "zero_one")
    text = written(path, curve, toy.X, toy.y)
    assert len(text.encode()) < 1e6
    for kind in ("path", "map"):
        assert len(page_script(kind).encode()) + len(style().encode()) < 150e3


def test_large_rows_are_left_out(monkeypatch):
    case = svc(n=60)
    monkeypatch.setattr("weightpath.page.path_data.ROWS_MB", 1e-4)
    data = Page(page_of(case)).data
    assert data["path"]["expansion"]["X"] is None and data["judged"]["X"] is None
    assert data["path"]["parts"][0]["stairs"] is None and data["judged"]["labels"] is not None


def test_kernel_that_is_a_function():
    toy = wp.datasets.make_toy(40, random_state=0)
    path = wp.SVC(kernel=lambda A, B: A @ B.T).fit(toy.X, toy.y).reweight(toy.w_new)
    assert Page(page_of(Case(path))).data["path"]["expansion"]["kernel"] is None


@pytest.mark.parametrize(("kind", "main"), [("path", "main"), ("map", "map_main")])
def test_script_is_made_of_all_modules(kind, main):
    script = page_script(kind)
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert not re.search(r"</?script", script, re.IGNORECASE) and "<!--" not in script
    for word in (
        "innerHTML",
        "insertAdjacentHTML",
        "outerHTML",
        "eval(",
        "fetch(",
        "http://www.w3",
    ):
        count = script.count(word)
        # The name space of drawings is no address.
        assert count == (1 if word.startswith("http") else 0), word
    order = modules(main)
    assert order[-1] == main and len(order) == len(set(order)) > 20


def test_every_module_is_used():
    names = {file.stem for file in (files("weightpath.page") / "script").iterdir()}
    assert names == {*modules("main"), *modules("map_main")}


def test_certificate_that_is_not_finite_is_written_as_text(case, monkeypatch):
    monkeypatch.setattr(wp.SolutionPath, "duality_gap", lambda path, theta: np.inf)
    monkeypatch.setattr(wp.SolutionPath, "kkt_violation", lambda path, theta: np.nan)
    certificate = Page(page_of(case("svc"))).data["path"]["certificate"]
    assert certificate["gap"] == ["inf", "inf"] and set(certificate["violation"]) == {"nan"}
