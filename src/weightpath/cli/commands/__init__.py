"""What each command does; ``weightpath`` is the group of them all."""

from weightpath.cli.commands.group import weightpath

__all__ = ["weightpath"]
