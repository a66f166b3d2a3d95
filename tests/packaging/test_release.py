"""What a release consists of says the same everywhere: Pythons, versions of tools, addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
HOME = "https://github.com/weightpath/weightpath"
RAW = "https://raw.githubusercontent.com/weightpath/weightpath/main/"
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def settings() -> dict:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def links() -> list[tuple[str, str]]:
    found = LINK.findall((CHECKOUT / "README.md").read_text(encoding="utf-8"))
    assert len(found) > 20
    return found


def test_every_link_of_the_readme_is_absolute_so_that_it_works_elsewhere(links):
    assert [target for _, target in links if not target.startswith("https://")] == []


def test_pictures_of_the_readme_are_addressed_as_files(links):
    pictures = [target for mark, target in links if mark]
    assert pictures
    assert all(target.startswith(RAW) for target in pictures)


def test_every_own_address_of_the_readme_is_a_file_of_the_project(links):
    own = (f"{HOME}/blob/main/", RAW)
    named = [
        target.removeprefix(start)
        for _, target in links
        for start in own
        if target.startswith(start)
    ]
    assert len(named) > 20
    assert [name for name in named if not (CHECKOUT / name.split("#")[0]).is_file()] == []


def test_addresses_of_the_package_begin_with_its_home(settings):
    urls = settings["project"]["urls"]
    assert urls["Homepage"] == HOME
    assert urls["Issues"].startswith(HOME)
    assert (CHECKOUT / urls["Changelog"].removeprefix(f"{HOME}/blob/main/")).is_file()


def test_wheels_classifiers_and_tested_pythons_agree(settings):
    start = "Programming Language :: Python :: 3."
    classified = {
        int(line.removeprefix(start))
        for line in settings["project"]["classifiers"]
        if line.startswith(start)
    }
    built = {
        int(name[len("cp3") : -len("-*")]) for name in settings["tool"]["cibuildwheel"]["build"]
    }
    workflow = (CHECKOUT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (row,) = re.findall(r"python: \[(.*)\]", workflow)
    tested = {int(minor) for minor in re.findall(r'"3\.(\d+)"', row)}
    assert classified == built == tested
    assert settings["project"]["requires-python"] == f">=3.{min(built)}"


def test_hooks_before_a_commit_use_the_versions_of_lint(settings):
    lint = set(settings["project"]["optional-dependencies"]["lint"])
    hooks = (CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    for tool in ("ruff", "cython-lint"):
        (asked,) = {line for line in lint if line.startswith(tool)}
        used = set(re.findall(rf'"({tool}[><=][^"]*)"', hooks))
        assert used == {asked}


def test_workflows_call_commands_that_the_makefile_has():
    targets = set(re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(), flags=re.M))
    called = set()
    for workflow in (CHECKOUT / ".github" / "workflows").glob("*.yml"):
        called |= set(re.findall(r"run: make ([a-z-]+)", workflow.read_text(encoding="utf-8")))
    assert called == {"docs", "sanitize"}
    assert called <= targets
