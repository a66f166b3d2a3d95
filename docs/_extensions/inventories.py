"""Links to the documents of other projects, resolved without the network.

Intersphinx downloads the whole inventory of a project to resolve a handful of names. Here the names
that our documents mention stand in ``docs/_inventories``, one text file for each project; this
extension writes them as inventories before intersphinx reads them. A text file begins with the
address of the documents; each further line is a role, a name, and the page where the name is
explained (``$`` stands for the name).
"""

from __future__ import annotations

import zlib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "_inventories"


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory for each list of names; return the mapping for intersphinx."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for source in sorted(FOLDER.glob("*.txt")):
        address, *lines = source.read_text("utf-8").split("\n")
        target = folder / f"{source.stem}.inv"
        target.write_bytes(_as_inventory(source.stem, lines))
        mapping[source.stem] = (address.strip(), str(target))
    return mapping


def _as_inventory(project: str, lines: list[str]) -> bytes:
    entries = []
    for line in filter(None, map(str.strip, lines)):
        role, name, page = line.split()
        entries.append(f"{name} {role} 1 {page} -\n")
    header = (
        "# Sphinx inventory version 2\n"
        f"# Project: {project}\n# Version: \n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    return header.encode() + zlib.compress("".join(entries).encode())


def set_mapping(app, config) -> None:
    config.intersphinx_mapping = write_inventories(Path(app.outdir).parent / "docs-inventories")


def setup(app):
    # Before intersphinx checks the mapping, which it does at the default priority.
    app.connect("config-inited", set_mapping, priority=100)
    return {"parallel_read_safe": True}
