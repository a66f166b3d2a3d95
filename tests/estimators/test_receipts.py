"""Receipts tell what was removed and prove what is left."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import weightpath as wp

TOY = wp.datasets.make_toy(60, random_state=0)
QID = np.repeat(np.arange(6), 10)


def models():
    y, t = TOY.y, TOY.X[:, 0] + TOY.X[:, 1] ** 2
    yield wp.SVC(C=10, gamma=0.5).fit(TOY.X, y)
    yield wp.SVC(C=1, gamma=0.5).fit(TOY.X, np.arange(60) % 3)
    yield wp.SVR(C=2, gamma=0.5).fit(TOY.X, t)
    yield wp.QuantileSVR(C=2, gamma=0.5).fit(TOY.X, t)
    yield wp.OneClassSVM(gamma=0.5).fit(TOY.X)
    yield wp.RankingSVM(C=1.0).fit(TOY.X, np.arange(60) % 3, qid=QID)
    yield wp.Lasso(alpha=0.1).fit(TOY.X, t)


@pytest.mark.parametrize("model", list(models()), ids=lambda model: type(model).__name__)
def test_every_estimator_has_receipts(model):
    with pytest.raises(ValueError, match="No rows were removed"):
        model.removal_receipt()
    path = model.remove([-1, 3])
    receipt = model.removal_receipt(refit=True)
    assert receipt.indices == (3, 59)
    assert (receipt.n_before, receipt.n_after) == (60, 58)
    assert receipt.violation_before < 1e-9 and receipt.violation_after < 1e-9
    assert receipt.refit_difference < 1e-8
    assert receipt.distance_bound < 1e-5
    assert path.kkt_violation() < 1e-9
    assert "not differential privacy" in receipt.statement
    assert json.loads(receipt.to_json())["rows_hash"] == receipt.rows_hash
    assert wp.RemovalReceipt.from_dict(json.loads(receipt.to_json())) == receipt


def fitted(X=TOY.X):
    return wp.SVC(C=10, gamma=0.5).fit(X, TOY.y)


def test_hashes_are_of_what_was_removed_and_of_what_is_left():
    one, same, other = fitted(), fitted(), fitted()
    one.remove([3, 7])
    same.remove([7, 3])
    other.remove([3, 8])
    a, b, c = (model.removal_receipt() for model in (one, same, other))
    assert a == b
    assert len({a.rows_hash, c.rows_hash}) == len({a.model_hash, c.model_hash}) == 2
    # What is left is what a fit without these rows is trained on.
    keep = np.delete(np.arange(60), [3, 7])
    refit = wp.SVC(C=10, gamma=0.5).fit(TOY.X[keep], TOY.y[keep])
    refit.remove([0])
    one.remove([0])
    assert one.removal_receipt().rows_hash == refit.removal_receipt().rows_hash
    assert one.removal_receipt().data_hash == refit.removal_receipt().data_hash


def test_one_bit_of_a_removed_row_changes_its_hash():
    X = TOY.X.copy()
    X[3, 0] = np.nextafter(X[3, 0], 9.0)
    one, other = fitted(), fitted(X)
    for model in (one, other):
        model.remove([3])
    assert one.removal_receipt().rows_hash != other.removal_receipt().rows_hash


def test_a_receipt_survives_copies_files_and_moves_but_no_fit():
    model = fitted()
    model.remove([3, 7])
    unasked = copy.copy(model)
    kept = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    receipt = model.removal_receipt()
    assert all(one.removal_receipt() == receipt for one in [*kept, unasked])
    model.reweight(np.linspace(0.5, 1.5, 58))
    assert model.removal_receipt() == receipt
    model.fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="No rows were removed"):
        model.removal_receipt()


def test_a_pickle_of_a_model_does_not_hold_what_was_removed():
    X = TOY.X.copy()
    X[3] = 0.123456789123, 9.87654321987
    model = fitted(X)
    model.remove([3])
    held = pickle.dumps(model)
    assert X[3, :1].tobytes() not in held and X[3, 1:].tobytes() not in held


def test_skops_files_keep_the_receipt():
    skops = pytest.importorskip("skops.io")
    model = fitted()
    model.remove([3])
    held = skops.dumps(model)
    again = skops.loads(held, trusted=skops.get_untrusted_types(data=held))
    assert again.removal_receipt() == model.removal_receipt()


def test_names_of_frames_are_in_the_receipt():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(TOY.X, index=[f"person {k}" for k in range(60)])
    model = fitted(X)
    model.remove([3, 59])
    receipt = model.removal_receipt()
    assert receipt.names == ("person 3", "person 59")
    assert "<table>" in receipt._repr_html_() and "2 of 60 rows of a SVC" in repr(receipt)


def test_sparse_rows_have_the_same_proof():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    model = wp.SVC(C=10, gamma=0.5).fit(scipy_sparse.csr_matrix(TOY.X), TOY.y)
    model.remove([3])
    assert model.removal_receipt().violation_after < 1e-9


def test_a_removal_that_fails_leaves_no_receipt():
    model = fitted()
    with pytest.raises(ValueError, match=r"class|rows|instance"):
        model.remove(np.arange(60))
    with pytest.raises(ValueError, match="No rows were removed"):
        model.removal_receipt()
