"""A metric of one's own: one file, and curve, search, plot, page and command line have it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

import weightpath as wp
from weightpath import metrics
from weightpath.cli.commands import weightpath

FILE = Path(__file__).with_name("cohens_kappa.py")


def kappa_of_matrix(confusion):
    share = confusion / confusion.sum()
    by_chance = share.sum(axis=0) @ share.sum(axis=1)
    return (np.trace(share) - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0


@pytest.fixture(scope="module")
def kappa():
    names: dict = {}
    exec(compile(FILE.read_text("utf-8"), str(FILE), "exec"), names)
    return names["kappa"]


@pytest.fixture
def registered(kappa):
    yield metrics.register(kappa)
    metrics.unregister(kappa.name)


@pytest.fixture(scope="module")
def toy():
    return wp.datasets.make_toy(120, random_state=0)


@pytest.fixture(scope="module")
def path(toy):
    return wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y, sample_weight=toy.w_old).reweight(toy.w_new)


def test_it_is_small():
    assert len(FILE.read_text("utf-8").splitlines()) <= 40


@pytest.mark.parametrize("way", ["class", "function"])
def test_curve(toy, path, kappa, way):
    metric = kappa if way == "class" else metrics.of_confusion(kappa_of_matrix, "kappa")
    new = wp.datasets.make_toy(200, random_state=1, like=toy)
    curve = path.curve(new.X, new.y, metric, sample_weight=new.cost)
    for theta in np.random.default_rng(0).random(20):
        guess = path.model_at(theta).predict(new.X)
        truth = cohen_kappa_score(new.y, guess, sample_weight=new.cost)
        assert curve(theta) == pytest.approx(truth, abs=1e-12)
    assert curve.best.value == curve.values.max() > 0


def test_several_classes(kappa):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=160), [-0.7, 0.0, 0.7])
    path = wp.SVC(gamma=0.3).fit(X[:80], y[:80]).reweight(rng.integers(0, 4, 80))
    curve = path.curve(X[80:], y[80:], kappa)
    for theta in rng.random(10):
        truth = cohen_kappa_score(y[80:], path.model_at(theta).predict(X[80:]))
        assert curve(theta) == pytest.approx(truth, abs=1e-12)


def test_search_by_object_and_by_name(toy, registered):
    found = []
    for metric in (registered, "cohens_kappa"):
        search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), metric, cv=3)
        found.append(search.fit(toy.X, toy.y, start=toy.w_old, end=toy.w_new))
    assert found[0].best_theta_ == found[1].best_theta_
    search = found[0]
    assert search.best_score_ == search.curve_.best.value == search.curve_.values.max()
    assert search.curve_.metric == "cohens_kappa"


@pytest.mark.slow
def test_worker_processes_need_not_know_the_name(toy, registered):
    search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), "cohens_kappa", cv=3, n_jobs=2)
    search.fit(toy.X, toy.y, start=toy.w_old, end=toy.w_new)
    assert search.curve_.greater_is_better


def test_plot_and_page(toy, path, registered, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    curve = path.curve(toy.X, toy.y, "cohens_kappa")
    assert curve.plot().ax_.get_ylabel() == "Cohen's kappa"
    page = tmp_path / "page.html"
    path.to_html(page, curve=curve)
    assert "cohens_kappa" in page.read_text("utf-8")


def test_influence(toy, registered):
    model = wp.SVC(C=10, gamma=0.5).fit(toy.X[::2], toy.y[::2])
    X, y = toy.X[1::2], toy.y[1::2]
    found = wp.influence(model, X, y, "cohens_kappa", indices=[0])
    truth = cohen_kappa_score(y, model.predict(X))
    assert found.metric == "cohens_kappa" and found.greater_is_better
    assert found.metric_value == pytest.approx(truth, abs=1e-12)


@pytest.fixture
def table(toy, tmp_path):
    file = tmp_path / "toy.csv"
    columns = np.column_stack((toy.X, toy.y, toy.w_old, toy.w_new))
    np.savetxt(file, columns, delimiter=",", header="x1,x2,y,old,new", comments="")
    return file


def words(table, metric, out):
    return [
        *("trace", str(table), "--target", "y", "--task", "classification", "--gamma", "0.5"),
        *("--C", "10", "--start", "old", "--end", "new", "--cv", "3", "--metric", str(metric)),
        *("--scale", "none", "--out", str(out), "--json"),
    ]


def test_command_line_by_name(table, tmp_path, toy, registered):
    answer = CliRunner().invoke(weightpath, words(table, "cohens_kappa", tmp_path / "out"))
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.stdout)["curve"]
    search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), registered, cv=3)
    search.fit(toy.X, toy.y.astype(int), start=toy.w_old, end=toy.w_new)
    assert found["metric"] == "cohens_kappa" and found["greater_is_better"]
    assert found["best_value"] == pytest.approx(search.best_score_, abs=1e-12)
    assert "cohens_kappa" in CliRunner().invoke(weightpath, ["trace", "--help"]).output


def test_command_line_by_file(table, tmp_path):
    command = [sys.executable, "-m", "weightpath.cli", *words(table, FILE, tmp_path / "out")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["curve"]["metric"] == "cohens_kappa"
    assert "Curve of cohens\\_kappa" in (tmp_path / "out" / "summary.md").read_text("utf-8")
