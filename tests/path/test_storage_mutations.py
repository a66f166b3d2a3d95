"""No file can crash the reader: 5,000 damaged and crafted ones, 1,000 in an ordinary run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from path.kinds_of_paths import KINDS

HERE = Path(__file__).parent
BATCH = 250


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Files of every kind of path as they are written now, and as version 0.1 has written them."""
    folder = tmp_path_factory.mktemp("paths")
    for name, make in KINDS.items():
        make()[0].save(folder / f"{name}-now.npz")
        (folder / f"{name}.npz").write_bytes((HERE / "saved" / f"{name}.npz").read_bytes())
    return folder


def try_batch(files: Path, first: int) -> dict[str, int]:
    command = [sys.executable, HERE / "mutations.py", files, str(first), str(first + BATCH)]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **one_thread}, check=False
    )
    # A negative code is a signal; the last lines say on which mutation.
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    counts = json.loads(done.stdout)
    assert sum(counts.values()) == BATCH
    # A reader that refuses everything, or nothing, would show nothing.
    assert counts["refused"] > BATCH // 2 and counts["used"] > BATCH // 20
    return counts


@pytest.mark.second_stage
@pytest.mark.parametrize("first", range(0, 1000, BATCH))
def test_mutations(files, first):
    try_batch(files, first)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, BATCH))
def test_more_mutations(files, first):
    try_batch(files, first)
