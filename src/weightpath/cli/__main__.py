"""``python -m weightpath.cli``."""

from weightpath.cli import main

main()
