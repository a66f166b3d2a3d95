"""Pages of paths that are no staircases: pictures, or a clear refusal."""

import io
import re

import numpy as np
import pytest

import weightpath as wp
from weightpath.page import PageView


@pytest.fixture(params=["L1SVC", "L1SVR"])
def program_path(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] > 0, 1, -1) if request.param == "L1SVC" else X[:, 0]
    model = getattr(wp, request.param)(C=1).fit(X, y)
    return model.reweight(rng.uniform(0, 2, 40)), X, y


@pytest.fixture
def pursuit_path():
    rng = np.random.default_rng(0)
    model = wp.BasisPursuit().fit(rng.normal(size=(10, 20)), rng.normal(size=10))
    return model.reweight(rng.uniform(0.5, 2, 20))


def test_linear_programs_have_pages_of_pictures(program_path):
    path, X, y = program_path
    curve = path.curve(X, y, "zero_one" if path.classes is not None else "absolute")
    page = io.StringIO()
    path.to_html(page, curve, title="</title><script>")
    assert page.getvalue().startswith("<!DOCTYPE html>")
    assert "<script" not in page.getvalue() and "&lt;/title&gt;" in page.getvalue()
    assert len(re.findall("<img", page.getvalue())) + page.getvalue().count("<source") >= 2


def test_linear_programs_are_shown(program_path):
    path, _, _ = program_path
    view = path.show(height=500)
    assert isinstance(view, PageView) and 'height="500"' in view._repr_html_()


def test_linear_programs_refuse_rows_and_widgets(program_path):
    path, X, y = program_path
    with pytest.raises(TypeError, match="leave X and y out"):
        path.to_html(io.StringIO(), None, X, y)
    with pytest.raises(TypeError, match=r"no widget. path.show\(\)"):
        path.widget()


@pytest.mark.parametrize("method", ["to_html", "show", "widget"])
def test_basis_pursuit_refuses(pursuit_path, method):
    given = ("page.html",) if method == "to_html" else ()
    with pytest.raises(TypeError, match=r"has no (page|widget): .* path.plot\(\) draws it"):
        getattr(pursuit_path, method)(*given)
