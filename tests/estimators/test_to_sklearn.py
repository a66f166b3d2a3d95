"""Twins in scikit-learn have the functions of our models."""

import pickle

import numpy as np
import pytest
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

import weightpath as wp
from estimators.samples import KINDS, Kind, overlapping, plain_rbf, random_weights

CLASSES = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
KERNELS = [
    {"kernel": "rbf", "gamma": 0.05},
    {"kernel": "rbf"},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 1e-3},
]


def assert_same_function(model, X, tolerance=1e-9):
    """Compare a model with its twin, and with a pickled one; return the twin."""
    twin = model.to_sklearn()
    assert type(twin).__module__.startswith("sklearn.svm")
    for one in (twin, pickle.loads(pickle.dumps(twin))):
        if hasattr(model, "decision_function"):
            values = model.decision_function(X)
            size = max(1.0, np.abs(values).max())
            np.testing.assert_allclose(one.decision_function(X), values, atol=tolerance * size)
            sure = np.abs(values) > 1e-9 if values.ndim == 1 else np.ones(len(values), dtype=bool)
            assert (one.predict(X)[sure] == model.predict(X)[sure]).all()
        else:
            values = model.predict(X)
            size = max(1.0, np.abs(values).max())
            np.testing.assert_allclose(one.predict(X), values, atol=tolerance * size)
    return twin


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("params", KERNELS, ids=lambda params: "-".join(map(str, params.values())))
@pytest.mark.parametrize("name", CLASSES)
def test_classifiers(name, params, shape):
    X, y = CLASSES[name](return_X_y=True)
    X = scale(X)
    ridge = {"ridge": 0.02} if params["kernel"] == "sigmoid" else {}
    model = wp.SVC(**params, **ridge, decision_function_shape=shape, class_weight="balanced")
    model.fit(X, y, random_weights(len(y), zeros=0.1))
    twin = assert_same_function(model, X)
    assert isinstance(twin, sklearn.svm.SVC)
    np.testing.assert_array_equal(twin.support_, model.support_)
    np.testing.assert_array_equal(twin.n_support_, model.n_support_)
    np.testing.assert_array_equal(twin.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(twin.class_weight_, model.class_weight_)
    if params["kernel"] == "linear":
        np.testing.assert_allclose(twin.coef_, model.coef_, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_training_matrix(name, n_classes):
    kind = Kind(name)
    X, y = overlapping(60, n_classes)
    labels = np.array(["ant", "bee", "cat", "dog"])[y]
    model = kind.model().fit(kind.training(X), labels)
    twin = assert_same_function(model, kind.training(X))
    assert twin.classes_.tolist() == model.classes_.tolist()
    if name == "sparse":
        np.testing.assert_allclose(
            twin.decision_function(X), model.decision_function(csr_matrix(X)), atol=1e-9
        )


def test_data_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    X, y = overlapping(40)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    twin = assert_same_function(wp.SVC().fit(frame, y), frame)
    assert twin.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        twin.predict(frame[["c", "b", "a"]])


@pytest.mark.parametrize("name", ["dense", "sparse", "precomputed", "callable"])
@pytest.mark.parametrize(
    "estimator",
    [wp.SVR(C=5.0), wp.SVR(C=5.0, epsilon=50.0), wp.NuSVR(0.3), wp.QuantileSVR(quantile=0.8)],
    ids=["svr", "all inside", "nu", "quantile"],
)
def test_regressors(estimator, name):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:80], 10.0 * scale(y)[:80]
    kernels = {"precomputed": "precomputed", "callable": plain_rbf}
    model = clone(estimator).set_params(kernel=kernels.get(name, "rbf"))
    if name == "precomputed":
        X = plain_rbf(X, X)
    rows = csr_matrix(X) if name == "sparse" else X
    twin = assert_same_function(model.fit(rows, y), rows)
    assert isinstance(twin, sklearn.svm.NuSVR if isinstance(model, wp.NuSVR) else sklearn.svm.SVR)


@pytest.mark.parametrize("name", ["dense", "sparse", "precomputed", "callable"])
def test_one_class(name):
    X, _ = load_digits(return_X_y=True)
    X = X[:100] / 16
    kernels = {"precomputed": "precomputed", "callable": plain_rbf}
    model = wp.OneClassSVM(nu=0.3, kernel=kernels.get(name, "rbf"))
    if name == "precomputed":
        X = plain_rbf(X, X)
    rows = csr_matrix(X) if name == "sparse" else X
    twin = assert_same_function(model.fit(rows), rows)
    np.testing.assert_allclose(twin.score_samples(rows), model.score_samples(rows), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("nu", [0.4, 1.0])
def test_nu_classifiers(nu, n_classes):
    X, y = overlapping(60, n_classes)
    twin = assert_same_function(wp.NuSVC(nu).fit(X, y), X)
    assert isinstance(twin, sklearn.svm.NuSVC) and twin.nu == nu


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_lasso(fit_intercept):
    X, y = load_diabetes(return_X_y=True)
    model = wp.Lasso(alpha=0.1, fit_intercept=fit_intercept).fit(X, y)
    model.reweight(np.linspace(0.5, 3.0, X.shape[1]))
    twin = model.to_sklearn()
    for one in (twin, pickle.loads(pickle.dumps(twin))):
        np.testing.assert_allclose(one.predict(X), model.predict(X), atol=1e-9)
    assert twin.alpha == 0.1 and twin.sparse_coef_.shape == (1, X.shape[1])


def test_the_twin_is_where_the_model_is_and_stays_there():
    X, y = overlapping(60)
    model = wp.SVC(gamma=0.4).fit(X, y)
    path = model.move(C=4.0, class_weight={0: 3.0})
    twin = assert_same_function(model, X)
    assert twin.C == 4.0 and twin.class_weight == {0: 3.0, 1: 1.0}
    before = twin.decision_function(X)
    model.reweight(random_weights(60))
    np.testing.assert_array_equal(twin.decision_function(X), before)
    assert_same_function(path.model_at(0.4), X)


def test_a_clone_of_the_twin_can_be_fitted():
    X, y = overlapping(60, 3)
    model = wp.SVC(C=3.0, class_weight="balanced").fit(X, y)
    refit = clone(model.to_sklearn()).set_params(tol=1e-9).fit(X, y)
    np.testing.assert_allclose(refit.decision_function(X), model.decision_function(X), atol=1e-5)


def test_unfitted_models_have_no_twin():
    kinds = (wp.SVC, wp.SVR, wp.QuantileSVR, wp.OneClassSVM, wp.NuSVC, wp.NuSVR, wp.Lasso)
    for model in (kind() for kind in kinds):
        with pytest.raises(NotFittedError):
            model.to_sklearn()


def test_skl2onnx_takes_the_twin():
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y = overlapping(60, 3)
    X = X.astype(np.float32)
    model = wp.SVC(C=3.0, gamma=0.4).fit(X, y)
    onnx = skl2onnx.to_onnx(model.to_sklearn(), X[:1])
    session = runtime.InferenceSession(onnx.SerializeToString())
    labels = session.run(None, {session.get_inputs()[0].name: X})[0]
    assert (labels == model.predict(X)).all()
