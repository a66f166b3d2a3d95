"""No layer uses the private names of another: what it needs of a model is public."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import weightpath

PACKAGE = Path(weightpath.__file__).parent

# Names of other projects that have an underscore and are for everybody: those of named tuples, the
# parameters of an estimator of scikit-learn, the frame of a caller, the end of a process.
FOR_EVERYBODY = {"_asdict", "_fields", "_make", "_replace", "_get_param_names", "_getframe"}
FOR_EVERYBODY |= {"_exit"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def layer_of(file: Path) -> str:
    """The folder below the package, or the file's own name beside them."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse(file.read_text()) for file in sorted(PACKAGE.rglob("*.py"))}


def own_names(tree: ast.AST) -> set[str]:
    """The private names that a module makes: functions, methods, attributes of self, fields."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return {name for name in names if is_private(name)}


def is_own(value: ast.expr) -> bool:
    """Whether an attribute is one of the object itself."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def strange_names(tree: ast.AST, known: set[str]) -> list[str]:
    """Where a module uses a private name of something that its layer has not made."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
            if node.attr not in known | FOR_EVERYBODY:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("weightpath"):
            names = [alias.name for alias in node.names if is_private(alias.name)]
            found += [f"line {node.lineno}: import {name}" for name in names if name not in known]
    return found


def test_no_layer_uses_privates_of_another():
    modules = trees()
    made = defaultdict(set)
    for file, tree in modules.items():
        made[layer_of(file)] |= own_names(tree)
    found = {
        file.relative_to(PACKAGE).as_posix(): strange
        for file, tree in modules.items()
        if (strange := strange_names(tree, made[layer_of(file)]))
    }
    assert not found


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("def f(model):\n    return model._fitted", 1),
        ("class A:\n    def f(self):\n        return self.model._fitted", 1),
        ("class A:\n    def f(self):\n        return self._fitted", 0),
        ("from weightpath.estimators.svc import _secret", 1),
        ("def f(pair):\n    return pair._replace(x=1)", 0),
        ("def f(made):\n    return made._here", 0),
    ],
)
def test_what_counts_as_a_private_of_another(code, count):
    assert len(strange_names(ast.parse(code), {"_here"})) == count
