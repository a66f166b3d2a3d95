"""What the package says of itself: requirements of its extras, and one version."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import weightpath as wp

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RIVALS = ("casadi", "celer", "daqp", "numba", "piqp", "scikit-learn-intelex")


def load_tool():
    file = ROOT / "tools" / "requirements.py"
    spec = importlib.util.spec_from_file_location("requirements_tool", file)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


tool = load_tool()


def names(extras, settings=SETTINGS):
    return [re.match(r"[\w-]+", one)[0] for one in tool.requirements(settings, extras)]


def test_rivals_of_the_benchmarks_are_no_requirement_of_tests():
    assert set(RIVALS) <= set(names(["bench"]))
    assert not set(RIVALS) & set(names(["test"]))


@pytest.mark.parametrize("extra", SETTINGS["project"]["optional-dependencies"])
def test_the_package_never_requires_itself(extra):
    found = names([extra])
    assert "weightpath" not in found and len(found) == len(set(found))
    assert {"numpy", "scipy", "scikit-learn"} <= set(found)


def test_extras_bring_those_that_they_name_and_may_form_a_circle():
    extras = {"a": ["one>=1", "own[b, c]"], "b": ["two", "own[a]"], "c": ["own [b]", "one>=1"]}
    settings = {
        "project": {"name": "own", "dependencies": ["base"], "optional-dependencies": extras}
    }
    assert tool.requirements(settings, []) == ["base"]
    assert tool.requirements(settings, ["a"]) == ["base", "one>=1", "two"]
    with pytest.raises(SystemExit, match="No extra 'd'; there are a, b, c"):
        tool.requirements(settings, ["a", "d"])


def test_building_needs_what_pyproject_says_and_ninja(capsys):
    tool.main(["build"])
    assert capsys.readouterr().out.split("\n") == [
        *SETTINGS["build-system"]["requires"],
        "ninja",
        "",
    ]


def test_the_version_has_one_home():
    (home,) = re.findall(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text("utf-8"))
    assert wp.__version__ == home
    assert "version" not in SETTINGS["project"]
