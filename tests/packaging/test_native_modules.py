"""Native modules keep to the layers, and their stubs tell what they have.

import-linter sees Python files only; here the same layers are applied to imports and cimports of
native sources.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "weightpath"
SOURCES = sorted([*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")])
MODULES = sorted(source for source in SOURCES if source.suffix == ".pyx")
IMPORTED = re.compile(r"^\s*(?:from|cimport|import)\s+weightpath\.(\w+)(?:\.|\s)", re.MULTILINE)


def layers() -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layered = [c for c in settings["contracts"] if c["type"] == "layers"]
    (contract,) = [c for c in layered if c.get("containers") == ["weightpath"]]
    return [re.findall(r"\w+|\|", layer) for layer in contract["layers"]]


def may_import(upper: str, lower: str) -> bool:
    (above,) = [k for k, layer in enumerate(layers()) if upper in layer]
    (below,) = [k for k, layer in enumerate(layers()) if lower in layer]
    together = above == below and (upper == lower or "|" not in layers()[above])
    return above < below or together


def name_of(source: Path) -> str:
    return source.relative_to(ROOT).as_posix()


def test_the_layers_say_no():
    assert may_import("engine", "record") and may_import("kernels", "problems")
    assert not may_import("record", "engine")
    assert not may_import("engine", "path") and not may_import("path", "engine")


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_native_sources_keep_to_the_layers(source):
    own = source.relative_to(PACKAGE).parts[0]
    for imported in IMPORTED.findall(source.read_text()):
        assert may_import(own, imported), f"{name_of(source)} imports {imported}"


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def members(definition: ast.ClassDef) -> set[str]:
    found = set()
    for statement in definition.body:
        if isinstance(statement, ast.AnnAssign):
            found.add(statement.target.id)
        elif isinstance(statement, ast.FunctionDef):
            found.add(statement.name)
    return public(found)


@pytest.mark.parametrize("source", MODULES, ids=name_of)
def test_stubs_tell_what_native_modules_have(source):
    stub = ast.parse(source.with_suffix(".pyi").read_text())
    module = importlib.import_module(
        ".".join(source.with_suffix("").relative_to(PACKAGE.parent).parts)
    )
    stubbed = {d.name: d for d in stub.body if isinstance(d, (ast.ClassDef, ast.FunctionDef))}
    native = {
        name: thing
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    }
    assert set(stubbed) == set(native)
    for name, thing in native.items():
        if inspect.isclass(thing):
            assert members(stubbed[name]) == public(vars(thing)), name
