"""``weightpath reproduce``: the command of ``reproduction``, where a checkout is at hand."""

from __future__ import annotations

from weightpath.cli.commands.beside import command_beside
from weightpath.cli.commands.group import COMMANDS

__all__ = ["reproduce"]

reproduce = command_beside("reproduce", "reproduction", COMMANDS["reproduce"])
