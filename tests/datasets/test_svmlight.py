"""Files with queries against scikit-learn's reader; broken ones by line."""

import bz2
import gzip
import io

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.datasets import dump_svmlight_file

from weightpath.datasets import read_svmlight


def file(text):
    return io.BytesIO(text.encode())


@pytest.mark.parametrize("pack", [None, gzip.compress, bz2.compress])
def test_written_by_scikit_learn(tmp_path, pack):
    rng = np.random.default_rng(0)
    # Eighths, which the writer's 16 digits hold exactly.
    X = rng.integers(-20, 20, (20, 6)) / 8 * (rng.random((20, 6)) < 0.5)
    X[:, 5] = 0
    y, qid = rng.integers(0, 3, 20), np.sort(rng.integers(1, 5, 20))
    plain = io.BytesIO()
    dump_svmlight_file(X, y, plain, zero_based=False, query_id=qid, comment="a comment")
    end = {None: "", gzip.compress: ".gz", bz2.compress: ".bz2"}[pack]
    path = tmp_path / f"data.txt{end}"
    path.write_bytes(pack(plain.getvalue()) if pack else plain.getvalue())
    for sparse in (False, True):
        read = read_svmlight(path, n_features=6, sparse=sparse)
        assert issparse(read[0]) == sparse
        assert np.array_equal(read[0].toarray() if sparse else read[0], X)
        assert np.array_equal(read[1], y) and np.array_equal(read[2], qid)


def test_comments_blank_lines_and_line_ends():
    text = "# head\r\n\r\n1 qid:7 2:5 # docid = 1:3\r\n\n0 qid:7 1:2#x"
    X, y, qid = read_svmlight(file(text))
    assert X.tolist() == [[0, 5], [2, 0]]
    assert y.tolist() == [1, 0] and qid.tolist() == [7, 7]


def test_without_queries():
    X, y, qid = read_svmlight(file("1 1:5\n-1\n"))
    assert X.tolist() == [[5], [0]] and y.tolist() == [1, -1] and qid is None


def test_first_feature_may_be_missing_everywhere():
    assert read_svmlight(file("1 3:5\n"))[0].tolist() == [[0, 0, 5]]
    assert read_svmlight(file("1 0:5\n"), zero_based=True)[0].tolist() == [[5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 qid:1 1:2\n0 qid:1 1:x\n", "line 2: .*1:x"),
        ("1 qid:1 1:2\n\n# c\n0 qid:1 1\n", "line 4"),
        ("1 qid:1 1:2\n0 qid:one 1:2\n", "line 2"),
        ("1 qid:1 2:2 1:2\n", "line 1: .*sorted"),
        ("1 qid:1 1:2 1:2\n", "line 1: .*unique"),
        ("1 qid:1 0:2\n", "line 1: .*index 0"),
        ("1 qid:1 4:2\n", "line 1: .*3"),
        ("yes qid:1 1:2\n", "line 1: .*yes"),
        ("1 qid:1 1:2\n1 qid:1 1:nan\n", "line 2: .*not finite"),
        ("inf qid:1 1:2\n", "line 1: .*not finite"),
        ("1 qid:1 1:2\n1 1:2\n", "line 2: no qid, where the rows before have one"),
        ("1 1:2\n# c\n1 qid:1 1:2\n", "line 3: a qid, where the rows before have none"),
        ("", "no rows"),
        ("# nothing\n", "no rows"),
    ],
)
def test_broken_files_are_named_by_line(tmp_path, text, message):
    path = tmp_path / "data.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_svmlight(path, n_features=3)
    assert str(path) in str(caught.value)


def test_text_files_are_refused():
    with pytest.raises(TypeError, match="bytes"):
        read_svmlight(io.StringIO("1 1:2"))
