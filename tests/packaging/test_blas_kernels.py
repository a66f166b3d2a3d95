"""Which BLAS kernels tests are repeated with: those that run here and differ from one another."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture
def tool(monkeypatch):
    """The tool on a processor of our own making, with AVX2 but without AVX-512."""
    file = Path(__file__).parents[2] / "tools" / "blas_kernels.py"
    spec = importlib.util.spec_from_file_location("blas_kernels_tool", file)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    flags = {"pni", "ssse3", "sse4_1", "sse4_2", "avx", "avx2", "fma"}
    monkeypatch.setattr(tool.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(tool, "processor_flags", lambda: flags)
    return tool


def answers(monkeypatch, tool, loaded):
    """Let a name load what the table says, the default where it does not; return who was asked."""
    asked = []

    def loaded_kernels(name=None):
        asked.append(name)
        return frozenset(loaded.get(name, loaded[None]))

    monkeypatch.setattr(tool, "loaded_kernels", loaded_kernels)
    return asked


def test_each_kernel_counts_once_and_the_default_not_at_all(tool, monkeypatch):
    loaded = {None: {"Haswell"}, "Prescott": {"Katmai"}, "Nehalem": {"Katmai"}}
    answers(monkeypatch, tool, loaded | {"Sandybridge": {"Sandybridge"}})
    assert tool.further_kernels() == ["Prescott", "Sandybridge"]


def test_names_beyond_the_processor_are_never_tried(tool, monkeypatch):
    asked = answers(monkeypatch, tool, {None: {"Haswell"}, "SkylakeX": {"SkylakeX"}})
    assert tool.further_kernels() == []
    assert "Haswell" in asked and not {"SkylakeX", "Cooperlake"} & set(asked)


def test_one_library_that_follows_is_enough(tool, monkeypatch):
    answers(monkeypatch, tool, {None: {"Haswell"}, "Nehalem": {"Haswell", "Nehalem"}})
    assert tool.further_kernels() == ["Nehalem"]


def test_a_name_with_which_python_dies_is_left_out(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "LOADED", "import os, sys\nsys.exit('illegal instruction')")
    assert tool.loaded_kernels("Prescott") == frozenset()
    assert "Prescott does not run: illegal instruction" in capsys.readouterr().err
    assert tool.further_kernels() == []


def test_the_child_is_asked_by_the_environment(tool, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    program = "import json, os\nprint(json.dumps([str(os.environ.get('OPENBLAS_CORETYPE'))]))"
    monkeypatch.setattr(tool, "LOADED", program)
    assert tool.loaded_kernels() == {"None"}
    assert tool.loaded_kernels("Nehalem") == {"Nehalem"}
