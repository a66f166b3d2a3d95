"""Linear program machines: what models and their paths do."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from estimators.l1_samples import highs


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    X = random.normal(size=(80, 12))
    y = np.where(X[:, 0] - X[:, 1] + 0.5 * random.normal(size=80) > 0, "yes", "no")
    return X, y, random.uniform(0, 2, 80)


@pytest.fixture(scope="module")
def model(data):
    return wp.L1SVC(C=0.3).fit(*data[:2])


@pytest.fixture(scope="module")
def path(model, data):
    return model.path_to(sample_weight=data[2])


def test_a_fit_is_exact_and_sparse(model, data):
    assert model.kkt_violation() < 1e-12
    assert model.duality_gap(relative=True) < 1e-12
    assert 0 < np.count_nonzero(model.coef_) < 12
    assert model.coef_.shape == (1, 12) and model.intercept_.shape == (1,)
    stair = model._where().machines[0].program.stair
    assert model.objective() == pytest.approx(highs(data[0], stair), rel=1e-9)


def test_the_model_stays_where_it_is_by_path_to_and_goes_by_reweight(model, data):
    before = model.coef_
    moving = copy.copy(model)
    path = moving.reweight(data[2])
    assert model.coef_ is before
    assert np.allclose(moving.coef_[0], path.at(1.0).coef)
    assert np.allclose(moving.weights_, 0.3 * data[2])
    fresh = wp.L1SVC(C=0.3).fit(*data)
    assert moving.objective() == pytest.approx(fresh.objective(), rel=1e-12)


def test_the_model_is_a_step_function_while_weights_move(path):
    assert len(path) > 5
    for left, right in zip(path.theta, path.theta[1:], strict=False):
        inside = [path.at(left + share * (right - left)).coef for share in (0.25, 0.75)]
        assert np.array_equal(*inside)


def test_at_a_breakpoint_the_solution_is_the_middle_of_both_sides(path):
    for theta in path.theta[1:-1]:
        here, left, right = path.at(theta), path.at(theta, "left"), path.at(theta, "right")
        assert np.allclose(here.coef, 0.5 * (left.coef + right.coef))
        assert here.objective == pytest.approx(left.objective, rel=1e-12)
        assert np.abs(left.coef - right.coef).max() > 0
        assert path.kkt_violation(theta) < 1e-12
    assert np.array_equal(path.isolated_theta, path.theta[1:-1])


def test_events_lead_from_set_to_set(path):
    sets = {name: set(getattr(path.at(0.0), name).tolist()) for name in ("outside", "margin")}
    for event in path.events[path.events["of"] == "instance"]:
        for name, members in sets.items():
            assert (int(event["index"]) in members) == (event["from"] == name)
            members.discard(int(event["index"]))
            if event["to"] == name:
                members.add(int(event["index"]))
    last = path.at(1.0, "left")
    assert sets["margin"] == set(last.margin.tolist())
    assert sets["outside"] == set(last.outside.tolist())
    assert path.n_events == len(path.events) > 0


def test_models_and_curves_on_the_path_agree(path, data):
    X, y, _ = data
    curve, error = path.curve(X, y, "accuracy"), path.curve(X, y, "hinge")
    for theta in (0.0, 0.31, float(path.theta[3]), 1.0):
        model = path.model_at(theta)
        assert curve(theta) == pytest.approx(model.score(X, y))
        margin = np.where(y == "yes", 1.0, -1.0) * model.decision_function(X)
        assert error(theta) == pytest.approx(np.maximum(0, 1 - margin).mean())
        assert np.array_equal(path.predict(X, theta), model.predict(X))
        assert np.allclose(path.decision_function(X, theta), model.decision_function(X))
        assert model.kkt_violation() < 1e-12
        assert model.path_to(C=1.0).kkt_violation() < 1e-9
    assert path.decision_function(X, [0.1, 0.9]).shape == (2, 80)
    assert curve.degree == 0


def test_there_and_back(model, data):
    moving = copy.copy(model)
    first = moving.objective()
    moving.reweight(data[2])
    back = moving.reweight(np.ones(80))
    assert back.kkt_violation() < 1e-9
    assert moving.objective() == pytest.approx(first, rel=1e-12)


def test_saved_paths_and_pickles(path, model, tmp_path):
    path.save(tmp_path / "path.npz")
    loaded = wp.load(tmp_path / "path.npz")
    assert isinstance(loaded, wp.LinearProgramPath)
    for other in (loaded, pickle.loads(pickle.dumps(path)), copy.deepcopy(path)):
        assert np.array_equal(other.theta, path.theta)
        assert np.array_equal(other.at(0.4).coef, path.at(0.4).coef)
        # Computed from the data each time, by products that may round differently.
        assert other.kkt_violation() == pytest.approx(path.kkt_violation(), abs=1e-14)
        assert np.array_equal(other.model_at(0.4).coef_, path.model_at(0.4).coef_)
        with pytest.raises(ValueError, match="read-only"):
            other.parts[0].record.theta[0] = 1.0
    again = pickle.loads(pickle.dumps(model))
    assert again.path_to(C=1.0).kkt_violation() < 1e-9


@pytest.mark.parametrize("damage", ["cut", "column", "position", "offset"])
def test_damaged_files_are_refused(path, damage):
    file = io.BytesIO()
    path.save(file)
    content = file.getvalue()
    if damage == "cut":
        file = io.BytesIO(content[: len(content) // 2])
    else:
        arrays = dict(np.load(io.BytesIO(content)))
        name = {"column": "column", "position": "initial_position", "offset": "row_offset"}[damage]
        arrays[f"part0_{name}"] = arrays[f"part0_{name}"] + 99
        file = io.BytesIO()
        np.savez(file, **arrays)
        file.seek(0)
    with pytest.raises(ValueError, match="damaged"):
        wp.load(file)


def test_several_classes_one_against_one():
    X, y = load_iris(return_X_y=True)
    model = wp.L1SVC(kernel="rbf", decision_function_shape="ovo").fit(X, y)
    path = model.path_to(C=5.0)
    assert len(path.parts) == 3 and path.kkt_violation() < 1e-9
    assert path.at(0.5).coef.shape == (3, 150)
    assert path.decision_function(X, 0.5).shape == (150, 3)
    best = path.curve(X, y, "accuracy").best
    assert path.model_at(best.theta).score(X, y) == pytest.approx(best.value)
    assert set(path.events["part"].tolist()) == {0, 1, 2}


def test_regression_moves_tubes_targets_and_weights():
    random = np.random.default_rng(0)
    X = random.uniform(-3, 3, (70, 1))
    y = np.sinc(X[:, 0]) + 0.1 * random.normal(size=70)
    model = wp.L1SVR(C=2.0, kernel="rbf", gamma=1.0, epsilon=0.1).fit(X, y)
    assert model.support_.size < 30 and model.dual_coef_.shape == (1, model.support_.size)
    with pytest.raises(AttributeError, match="linear"):
        _ = model.coef_
    path = model.path_to(epsilon=0.0, y=2 * y, sample_weight=random.uniform(0, 2, 70))
    assert path.kkt_violation() < 1e-9
    curve = path.curve(X, y, "squared")
    for theta in (0.0, 0.4, 1.0):
        found = np.square(y - path.model_at(theta).predict(X)).mean()
        assert curve(theta) == pytest.approx(found)
    assert np.allclose(path.model_at(0.25).target_, 1.25 * y)


def test_pipelines_take_raw_rows(data):
    X, y, weight = data
    raw = 50.0 + 7.0 * X
    pipe = make_pipeline(StandardScaler(), wp.L1SVC(C=0.3)).fit(raw, y)
    path = wp.reweight(pipe, weight)
    assert path.kkt_violation() < 1e-9
    assert np.array_equal(path.predict(raw, 1.0), pipe.predict(raw))
    assert np.array_equal(path.model_at(0.5).predict(raw), path.predict(raw, 0.5))
    curve = path.curve(raw, y, "zero_one")
    assert curve(0.5) == pytest.approx(1 - path.model_at(0.5).score(raw, y))


def test_sparse_rows_give_the_same_path(data):
    X, y, weight = data
    X = np.where(np.abs(X) > 1, X, 0.0)
    models = [wp.L1SVC(C=0.3).fit(kind(X), y) for kind in (np.array, sparse.csr_matrix)]
    paths = [model.path_to(sample_weight=weight) for model in models]
    assert np.allclose(paths[0].theta, paths[1].theta)
    assert np.allclose(paths[0].at(0.3).coef, paths[1].at(0.3).coef)
    assert max(path.kkt_violation() for path in paths) < 1e-12


def test_a_path_search_finds_its_best_theta(data):
    X, y, weight = data
    search = wp.PathSearchCV(wp.L1SVC(C=0.3), metric="zero_one", cv=3)
    search.fit(X, y, start=np.ones(80), end=weight)
    assert isinstance(search.best_estimator_, wp.L1SVC)


def test_the_event_cap_leaves_the_model_where_it_was(data):
    model = wp.L1SVC(C=0.3, max_events=6).fit(*data[:2])
    before = model.coef_.copy()
    with pytest.warns(wp.EventCapWarning, match="stays where it was"):
        path = model.reweight(data[2])
    assert path.status == "stopped at the event cap" and 0 < path.theta[-1] < 1
    assert np.array_equal(model.coef_, before)
    assert path.kkt_violation() < 1e-12
    with pytest.raises(ValueError, match="beyond the end"):
        path.at(1.0)


def test_weights_of_no_use_are_refused_and_nothing_changes(model, data):
    moving = copy.copy(model)
    for weight, message in (
        (np.zeros(80), "zero"),
        (np.where(data[1] == "yes", 1.0, 0.0), "zero"),
        (-np.ones(80), "negative"),
        (np.ones(79), "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            moving.reweight(weight)
    with pytest.raises(TypeError, match="something to move"):
        moving.move()
    with pytest.raises(TypeError, match="fitted estimator"):
        wp.leave_one_out(moving)
    assert moving.coef_ is model.coef_


def test_zero_weights_are_first_class(data):
    X, y, _ = data
    some = np.arange(80) % 3 > 0
    part = wp.L1SVC(C=0.3).fit(X[some], y[some])
    whole = wp.L1SVC(C=0.3).fit(X, y, some.astype(float))
    assert whole.objective() == pytest.approx(part.objective(), rel=1e-12)
    path = whole.reweight(1.0 - 0.5 * some)
    assert path.kkt_violation() < 1e-9
    assert len(path.at(0.0).outside) + len(path.at(0.0).inside) + len(path.at(0.0).margin) == 80


def test_balanced_classes_without_coefficients_have_the_bias_in_the_middle(data):
    X, y, _ = data
    model = wp.L1SVC(C=1e-4, class_weight="balanced").fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx([0.0], abs=1e-12)
    assert model.kkt_violation() < 1e-12


def test_words_about_a_path(path):
    assert repr(path).startswith("<LinearProgramPath: 80 instances, 12 coefficients, ")
    assert "12 coefficients" in repr(path) and "coefficients>" in repr(path.at(0.5))
    assert "Linear program path" in path._repr_html_()
    assert "Solution" in path.at(0.5)._repr_html_()
    table = path.to_frame()
    assert len(table) == len(path) and (table["margin"] == table["coefficients"] + 1).all()


def test_pictures_and_pages(path, tmp_path):
    display = path.plot()
    assert display.coefficients.shape[0] == 2 * len(path)
    assert display.wording.row == "feature"
    path.to_html(tmp_path / "page.html", title="Steps")
    page = (tmp_path / "page.html").read_text()
    assert "Steps" in page and "Coefficients that are not zero" in page


def test_what_rounding_makes_inexact_is_said(data):
    # Labels of other rows: many dual coefficients are at their bounds, and their sums cancel.
    X, y = 1e10 * data[0], np.roll(data[1], 7)
    with pytest.warns(wp.PrecisionWarning, match="double precision"):
        model = wp.L1SVC(C=1.0).fit(X, y)
    assert model.kkt_violation() > 1e-7
    assert model.duality_gap(relative=True) < 1e-9
