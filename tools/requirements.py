"""Print what some extras of the package need, one requirement on each line.

Usage: ``python tools/requirements.py [EXTRA,EXTRA...]``, with ``build`` for what building needs.

pip can install the requirements of an extra only together with the package itself, and then builds
both in the same way. The Makefile wants two: the package in its own environment, where the build
folder is kept, and requirements that come as source in isolation, as their authors expect.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
# meson-python asks for ninja by itself, but only in an isolated build.
BUILD, NINJA = "build", "ninja"


def requirements(settings: dict, extras: list[str]) -> list[str]:
    """Return what the package and some of its extras need.

    Parameters
    ----------
    settings : dict
        The content of ``pyproject.toml``.
    extras : list of str
        Names of extras; one that refers to others of the same package brings what they need.

    Returns
    -------
    list of str
        Requirements without repetitions, those of the package first.
    """
    project = settings["project"]
    of_extra = project["optional-dependencies"]
    own = re.compile(rf"{re.escape(project['name'])}\s*\[([^\]]*)\]\s*$")
    found = dict.fromkeys(project["dependencies"])
    waiting, seen = list(extras), set()
    while waiting:
        extra = waiting.pop(0)
        if extra in seen:
            continue
        if extra not in of_extra:
            raise SystemExit(f"No extra {extra!r}; there are {', '.join(of_extra)}.")
        seen.add(extra)
        for requirement in of_extra[extra]:
            reference = own.match(requirement)
            if reference:
                waiting += [name.strip() for name in reference[1].split(",")]
            else:
                found[requirement] = None
    return list(found)


def main(arguments: list[str]) -> None:
    """Print the requirements that the command line asks for."""
    settings = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    names = [name for argument in arguments for name in argument.split(",") if name]
    if names == [BUILD]:
        print(*settings["build-system"]["requires"], NINJA, sep="\n")
    else:
        print(*requirements(settings, names), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
