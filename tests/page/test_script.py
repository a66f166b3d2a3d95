"""The script of a page: its own tests, and its numbers against those of Python."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from page.cases import CASES, Case, ranking, several_classes, svc

PROMISED = 1e-9


def probes(path, n=30):
    """Random theta, breakpoints, both ends and where the solution differs from its limits."""
    random = np.random.default_rng(0).uniform(0, path.theta[-1], n)
    some = path.theta[np.linspace(0, len(path.theta) - 1, 15).astype(int)]
    beside = np.nextafter(some[1:], 0)
    return np.unique(np.concatenate([random, some, beside, path.isolated_theta[:10]]))


def agree(case, read_page, tolerance=PROMISED, n=30):
    """Compare everything that a page has with the path itself."""
    path, data = case.path, case.data()
    theta = probes(path, n)
    answer = read_page(data, theta)
    X = path.X if case.X is None else case.X
    own = path.on_prepared_rows if case.X is None else path
    curve, values = case.curve, None
    if answer["found"][0]["values"] is not None:
        values = own.decision_function(X, theta)
    for k, (at, found) in enumerate(zip(theta.tolist(), answer["found"], strict=True)):
        solution = path.at(at)
        coef = np.atleast_2d(solution.dual_coef)
        scale = max(1.0, np.abs(coef).max())
        assert_allclose(found["coef"], coef, rtol=0, atol=tolerance * scale)
        intercept = np.atleast_1d(solution.intercept)
        size = max(1.0, np.abs(intercept).max())
        assert_allclose(found["intercept"], intercept, rtol=0, atol=tolerance * size)
        assert_allclose(found["weights"], solution.weights, rtol=tolerance)
        for sets, name in zip(found["sets"], ("outside", "margin", "inside"), strict=True):
            rows = getattr(solution, name)
            rows = rows if isinstance(rows, tuple) else (rows,)
            assert sets == [own_rows.tolist() for own_rows in rows], (name, at)
        if curve is not None:
            assert_allclose(found["curve"], curve(at), rtol=tolerance, atol=tolerance)
        if values is not None:
            size = max(1.0, np.abs(values[k]).max())
            assert_allclose(found["values"], values[k], rtol=0, atol=tolerance * size)
    return answer, theta


@pytest.mark.parametrize("name", CASES)
def test_page_has_the_numbers_of_the_path(case, read_page, name):
    agree(case(name), read_page)


@pytest.mark.second_stage
@pytest.mark.parametrize("name", CASES)
def test_page_has_the_numbers_of_the_path_at_many_theta(case, read_page, name):
    agree(case(name), read_page, n=100)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_other_kernels(read_page, kernel):
    agree(
        svc(kernel, n=60, **({"gamma": 0.01, "ridge": 0.01} if kernel == "sigmoid" else {})),
        read_page,
    )


@pytest.mark.parametrize("make", [ranking, several_classes])
def test_options_of_models(read_page, make):
    given = {"kernel": "rbf"} if make is ranking else {"decision_function_shape": "ovo"}
    agree(make(**given), read_page)


@pytest.mark.parametrize("name", ["svc", "several-classes", "one-class"])
def test_predicted_classes_are_those_of_the_model(case, read_page, name):
    case = case(name)
    theta = np.random.default_rng(1).uniform(0, 1, 20)
    answer = read_page(case.data(), theta)
    for at, found in zip(theta, answer["found"], strict=True):
        predicted = case.path.predict(case.X, float(at))
        assert found["predictions"] == [str(label) for label in predicted.tolist()]


def test_ties_are_broken_as_the_model_does(read_page):
    case = several_classes(break_ties=True)
    theta = np.random.default_rng(1).uniform(0, 1, 15)
    for at, found in zip(theta, read_page(case.data(), theta)["found"], strict=True):
        assert found["predictions"] == case.path.predict(case.X, float(at)).tolist()


def test_confusion_matrix(case, read_page):
    from sklearn.metrics import confusion_matrix

    case = case("svc")
    theta = np.random.default_rng(2).uniform(0, 1, 20)
    for at, found in zip(theta, read_page(case.data(), theta)["found"], strict=True):
        predicted = case.path.model_at(float(at)).predict(case.X)
        expected = confusion_matrix(case.y, predicted, sample_weight=case.weight)
        assert_allclose(found["confusion"], expected, rtol=1e-12, atol=1e-12)


def test_without_rows_the_training_rows_are_predicted(read_page):
    case = svc(n=60)
    answer, _ = agree(Case(case.path), read_page)
    assert sum(map(sum, answer["found"][0]["confusion"])) == 60


@pytest.mark.parametrize("name", ["svc", "several-classes", "svr", "quantile", "one-class"])
def test_page_checks_optimality_itself(case, read_page, name):
    answer = read_page(case(name).data(), np.linspace(0, 1, 21))
    assert max(found["violation"] for found in answer["found"]) < 1e-9


def test_check_of_the_page_sees_a_wrong_path(case, read_page):
    path = case("svr").path
    data = case("svr").data()
    data["path"]["expansion"]["kernel"] = {
        **path.kernel.to_dict(),
        "gamma": path.kernel.gamma * 1.01,
    }
    answer = read_page(data, [0.3])
    assert answer["found"][0]["violation"] > 1e-4


@pytest.mark.parametrize("name", CASES)
def test_lines_of_rows_go_through_their_coefficients(case, read_page, name):
    path = case(name).path
    answer = read_page(case(name).data(), [])
    theta = np.random.default_rng(3).uniform(0, path.theta[-1], 20)
    for part, courses in zip(path.parts, answer["courses"], strict=True):
        beta = np.array([part.beta(float(at)) for at in theta])
        for row, corners in enumerate(courses):
            at, value = np.array(corners).T
            scale = max(1.0, np.abs(beta).max())
            assert_allclose(np.interp(theta, at, value), beta[:, row], atol=1e-9 * scale)


def test_script_has_tests_of_its_own(node, script_environment):
    folder = Path(__file__).parent / "script"
    tests = sorted(map(str, folder.glob("*.test.mjs")))
    answer = subprocess.run(
        [node, "--test", *tests], env=script_environment, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "# fail 0" in answer.stdout or "fail 0" in answer.stdout


class TestUgly:
    """Ties, duplicates, zero weights, free biases, stopped paths, other kinds of rows."""

    @pytest.mark.parametrize("seed", range(3))
    def test_integer_grids_with_ties(self, read_page, seed):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, size=(40, 2)).astype(float)
        y = rng.integers(0, 2, 40)
        weight = rng.integers(0, 3, 40).astype(float)
        model = wp.SVC(C=1, kernel="linear").fit(X, y, sample_weight=rng.integers(1, 3, 40))
        case = Case(model.reweight(weight), rng.integers(0, 3, size=(20, 2)) + 0.25)
        agree(case, read_page)

    def test_isolated_theta_where_the_bias_is_free(self, read_page):
        X = np.array([[-1.0], [1.0], [-2.0], [2.0]])
        path = wp.SVC(C=0.1, kernel="linear").fit(X, [0, 1, 0, 1]).reweight([4, 1, 2, 3])
        agree(Case(path, np.array([[-0.3], [0.4]]), [0, 1], "zero_one"), read_page)

    @pytest.mark.parametrize("seed", range(3))
    def test_small_data_with_free_biases(self, read_page, seed):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(8, 1)).astype(float)
        y = np.arange(8) % 2
        path = wp.SVC(C=0.2, kernel="linear").fit(X, y).reweight(rng.integers(0, 4, 8) + (y == y))
        agree(Case(path, X + 0.1, y, "zero_one"), read_page)

    def test_unscaled_features_and_huge_weights(self, read_page):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(50, 2)) * [1e4, 1e-3]
        y = X[:, 0] / 1e4 + X[:, 1] * 1e3 > 0
        model = wp.SVC(C=1e4, gamma=1e-8).fit(X, y, sample_weight=rng.uniform(0.1, 1, 50))
        agree(Case(model.reweight(10 ** rng.uniform(-3, 2, 50)), X[:20], y[:20]), read_page)

    def test_tiny_targets(self, read_page):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(40, 1))
        y = 1e-7 * np.sin(X[:, 0])
        path = wp.SVR(C=1e-6, epsilon=1e-9).fit(X, y).reweight(rng.uniform(0, 2, 40))
        answer, theta = agree(Case(path, X[:10], y[:10], "absolute"), read_page)
        values = np.array([found["values"] for found in answer["found"]])
        assert_allclose(values, path.decision_function(X[:10], theta), atol=1e-9 * 1e-7)

    def test_stopped_path(self, read_page):
        toy = wp.datasets.make_toy(80, random_state=0)
        model = wp.SVC(C=10, gamma=0.5, max_events=20).fit(toy.X, toy.y, sample_weight=toy.w_old)
        with pytest.warns(wp.EventCapWarning):
            path = model.reweight(toy.w_new)
        assert path.theta[-1] < 1
        agree(Case(path, toy.X, toy.y, "zero_one"), read_page)

    def test_precomputed_kernel(self, read_page):
        toy = wp.datasets.make_toy(60, random_state=0)
        K = np.exp(-0.5 * ((toy.X[:, None] - toy.X) ** 2).sum(axis=2))
        path = wp.SVC(C=10, kernel="precomputed").fit(K, toy.y).reweight(toy.w_new)
        answer, theta = agree(Case(path, K, toy.y, "zero_one"), read_page)
        assert answer["found"][0]["values"] is None
        for at, found in zip(theta, answer["found"], strict=True):
            if at not in path.theta:
                expected = path.predict(K, float(at)).tolist()
                assert found["predictions"] == [str(one) for one in expected]

    def test_sparse_rows(self, read_page):
        toy = wp.datasets.make_toy(60, random_state=0)
        path = wp.SVC(C=10, gamma=0.5).fit(csr_matrix(toy.X), toy.y).reweight(toy.w_new)
        agree(Case(path, csr_matrix(toy.X), toy.y, "zero_one"), read_page)

    def test_pipeline_takes_raw_rows(self, read_page):
        toy = wp.datasets.make_toy(60, random_state=0)
        model = make_pipeline(StandardScaler(), wp.SVC(C=10)).fit(100 * toy.X, toy.y)
        path = wp.reweight(model, toy.w_new)
        agree(Case(path, 100 * toy.X, toy.y, "zero_one"), read_page)
        agree(Case(path), read_page)

    def test_loaded_path(self, read_page, tmp_path):
        case = svc(n=60)
        case.path.save(tmp_path / "path.npz")
        agree(Case(wp.load(tmp_path / "path.npz"), case.X, case.y, "zero_one"), read_page)

    def test_targets_and_labels_that_move(self, read_page):
        rng = np.random.default_rng(3)
        X = rng.uniform(-2, 2, size=(40, 1))
        model = wp.SVR(C=1, epsilon=0.1).fit(X, np.sin(X[:, 0]))
        path = model.move(y=np.cos(X[:, 0]), epsilon=0.02)
        agree(Case(path, X[:10], np.cos(X[:10, 0]), "squared"), read_page)

    def test_rows_that_come_and_go(self, read_page):
        toy = wp.datasets.make_toy(60, random_state=0)
        model = wp.SVC(C=10, gamma=0.5).fit(toy.X[:40], toy.y[:40])
        path = model.slide(toy.X[40:], toy.y[40:], 20)
        agree(Case(path, toy.X, toy.y, "zero_one"), read_page)

    def test_one_row_of_a_path_without_events(self, read_page):
        X = np.array([[0.0], [1.0]])
        path = wp.SVR(C=1.0).fit(X, [0.0, 1.0]).reweight([1.0, 1.0])
        agree(Case(path, X, [0.0, 1.0], "squared"), read_page)
