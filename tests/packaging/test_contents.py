"""What ships is what users run: the installed package, and a wheel."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import files
from pathlib import Path
from zipfile import ZipFile

import pytest

import weightpath as wp

CHECKOUT = Path(__file__).parents[2]
SOURCES = CHECKOUT / "src" / "weightpath"
BESIDE = ("benchmarks", "docs", "examples", "reproduction", "tests", "tools")
MOST_BYTES = 2_500_000


def installed() -> list[str]:
    """Return the files of the installed package; the test skips where it is an editable one."""
    folder = Path(wp.__file__).parent
    if folder == SOURCES:
        pytest.skip("an editable install has no files of its own")
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]


def test_the_package_has_its_types_every_python_file_and_every_stub():
    found = set(installed())
    assert "py.typed" in found
    sources = [*SOURCES.rglob("*.py"), *SOURCES.rglob("*.pyi")]
    assert {file.relative_to(SOURCES).as_posix() for file in sources} <= found


def test_benchmarks_and_reproduction_are_not_installed():
    assert not [name for name in installed() if name.split("/")[0] in BESIDE]
    homes = {file.parts[0] for file in files("weightpath") or () if ".." not in file.parts}
    assert not homes & set(BESIDE)


@pytest.mark.second_stage
def test_a_wheel_is_small_and_has_the_package_only(tmp_path):
    pytest.importorskip("mesonpy", reason="wheels are built by meson-python")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(CHECKOUT)]
    command += ["--no-build-isolation", "--wheel-dir", str(tmp_path)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"weightpath"}
    assert "weightpath/py.typed" in names
    assert not [name for name in names if {"benchmarks", "reproduction"} & set(name.split("/"))]
    assert wheel.stat().st_size < MOST_BYTES
