"""``weightpath bench``: the command of ``benchmarks``, where a checkout is at hand."""

from __future__ import annotations

from weightpath.cli.commands.beside import command_beside
from weightpath.cli.commands.group import COMMANDS

__all__ = ["bench"]

bench = command_beside("bench", "benchmarks", COMMANDS["bench"])
