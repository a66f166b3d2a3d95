"""The command line, ``weightpath``; needs the extra ``cli``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line, or say what is missing to run it."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        sys.exit(
            f"The weightpath command needs {error.name}, which is not installed. Install the extra "
            "that brings it: pip install 'weightpath[cli,plot]'."
        )
    from weightpath.cli.commands import weightpath

    weightpath()
