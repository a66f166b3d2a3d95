import base64
import json

import numpy as np
import pytest

from weightpath.page.packing import embedded_json, packed, packed_size


@pytest.mark.parametrize(
    ("values", "kind", "width"),
    [
        ([0, 255], "u1", 1),
        ([0, 256], "u2", 2),
        ([0, 65536], "u4", 4),
        ([0.0, 1.0], "f8", 8),
        ([True, False], "u1", 1),
    ],
)
def test_as_few_bytes_as_numbers_need(values, kind, width):
    pack = packed(np.array(values))
    raw = base64.b64decode(pack["d"])
    assert pack["t"] == kind and pack["n"] == 2 and len(raw) == 2 * width
    assert np.array_equal(np.frombuffer(raw, dtype=f"<{kind}"), values)


def test_equal_entries_are_written_once():
    assert packed(np.full(1000, np.inf))["d"] == packed([np.inf])["d"]
    # The two zeros are equal, but not the same.
    assert len(base64.b64decode(packed([0.0, -0.0])["d"])) == 16
    assert packed(np.empty(0)) == {"t": "f8", "n": 0, "d": ""}


@pytest.mark.parametrize("value", [-1, 2**32])
def test_numbers_that_do_not_fit_are_refused(value):
    with pytest.raises(ValueError, match="Whole numbers from 0"):
        packed([value])


def test_size_of_nested_packs():
    pack = packed([1.0, 2.0])
    assert packed_size({"a": [pack, None, 3], "b": {"c": pack}}) == 2 * len(pack["d"])


def test_text_stays_within_its_element():
    text = ["</script>", "<!--", "&amp;", "\u2028", "\\u003c", "\ud800"]
    written = embedded_json(text)
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == [*text[:-1], "?"]


def test_numbers_that_json_has_not_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        embedded_json([float("nan")])
