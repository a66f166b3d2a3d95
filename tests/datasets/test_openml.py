"""Downloads, read by scikit-learn from a cache that looks as after a download."""

import hashlib
import json

import pytest

from weightpath.datasets import DataNotFoundError, load_boston, load_spambase
from weightpath.datasets.boston import FEATURES as BOSTON
from weightpath.datasets.spambase import FEATURES as SPAMBASE

from .conftest import write


def publish(root, name, columns, rows):
    """Put a data set into scikit-learn's cache; columns are (name, None or its categories)."""
    header = [
        f"@ATTRIBUTE '{column}' {'{' + ','.join(values) + '}' if values else 'REAL'}"
        for column, values in columns
    ]
    arff = "\n".join([f"@RELATION {name}", *header, "@DATA", *map(",".join, rows), ""])
    features = [
        {
            "index": str(index),
            "name": column,
            "data_type": "nominal" if values else "numeric",
            "is_target": str(index == len(columns) - 1).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for index, (column, values) in enumerate(columns)
    ]
    description = {
        "id": "9",
        "name": name,
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "description": "",
        "url": "https://openml.org/data/v1/download/9/file.arff",
        "file_id": "9",
        "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
    }
    found = {"did": 9, "name": name, "version": 1, "status": "active"}
    api = "api/v1/json/data"
    for path, content in {
        f"{api}/list/data_name/{name}/limit/2/data_version/1": {"data": {"dataset": [found]}},
        f"{api}/9": {"data_set_description": description},
        f"{api}/features/9": {"data_features": {"feature": features}},
        f"{api}/qualities/9": {"data_qualities": {"quality": []}},
    }.items():
        write(root / "openml" / "openml.org" / f"{path}.gz", json.dumps(content))
    # scikit-learn before 1.7 makes the address from the file's number, later ones take that above.
    for path in ("data/v1/download/9.gz", "data/v1/download/9/file.arff.gz"):
        write(root / "openml" / "openml.org" / path, arff)


def test_categories_are_numbers_not_positions(nowhere, tmp_path):
    columns = [(name, None) for name in (*BOSTON, "MEDV")]
    columns[BOSTON.index("CHAS")] = ("CHAS", ["0", "1"])
    columns[BOSTON.index("RAD")] = ("RAD", ["1", "24", "3"])
    rows = [["0.5"] * 14 for _ in range(3)]
    for row, chas, rad, price in zip(
        rows, "010", ("24", "3", "1"), ("24.5", "21", "9"), strict=True
    ):
        row[3], row[8], row[13] = chas, rad, price
    publish(tmp_path / "scikit-learn", "boston", columns, rows)
    boston = load_boston()
    assert boston.data[:, 8].tolist() == [24, 3, 1]
    assert boston.data[:, 3].tolist() == [0, 1, 0]
    assert boston.data[:, 0].tolist() == [0.5] * 3
    assert boston.target.tolist() == [24.5, 21, 9]


def test_classes_are_numbers(nowhere, tmp_path):
    columns = [*((name, None) for name in SPAMBASE), ("class", ["0", "1"])]
    rows = [["0.25"] * 57 + [label] for label in "101"]
    publish(tmp_path / "scikit-learn", "spambase", columns, rows)
    spambase = load_spambase()
    assert spambase.data.shape == (3, 57)
    assert spambase.target.tolist() == [1, 0, 1]
    assert spambase.feature_names == list(SPAMBASE)


@pytest.mark.filterwarnings("error")
def test_without_connection_there_is_an_error_and_no_noise(nowhere):
    with pytest.raises(DataNotFoundError) as caught:
        load_boston()
    assert "no connection" in str(caught.value.__cause__)
