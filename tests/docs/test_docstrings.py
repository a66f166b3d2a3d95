"""Every example in a docstring gives what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import benchmarks
import reproduction
import weightpath

# The command line needs its extra, and importing __main__ would run a command.
COMMANDS = ("weightpath.cli", "benchmarks.command", "reproduction.command")
BESIDE = ("benchmarks.", "reproduction.")
MODULES = [
    pytest.param(
        module.name, marks=pytest.mark.second_stage if module.name.startswith(BESIDE) else ()
    )
    for package in (weightpath, benchmarks, reproduction)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.startswith(COMMANDS) and not module.name.endswith("__main__")
]

# Without this rival of the benchmarks their modules, and those of the reproduction, cannot be read.
RIVAL = "numba"


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    if name == "weightpath.torch":
        pytest.importorskip("torch", reason="the extra torch: pip install weightpath[torch]")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != RIVAL or not name.startswith(BESIDE):
            raise
        pytest.skip(f"the rivals are compiled with {RIVAL}: pip install {RIVAL}")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
