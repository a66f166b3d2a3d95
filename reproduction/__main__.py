"""``python -m reproduction``: the paper's experiments and their report."""

from reproduction.command import reproduce

reproduce(prog_name="python -m reproduction")
