"""What the examples of a document print, and whether the document says so.

A ``python`` block of a page in ``docs/`` may be followed at once by a ``text`` block: that is its
output. The tests compare the two; this script writes the outputs anew::

    python tools/doc_outputs.py docs/forget-old-data.md
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def run(page: Path, text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Run the examples of a page from top to bottom; yield each with what it printed."""
    names: dict = {}
    for match in BLOCK.finditer(text):
        # At its own line, so that a traceback points there.
        lines_before = text[: match.start(1)].count("\n")
        program = compile("\n" * lines_before + match[1], str(page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, names)
        yield match, printed.getvalue()


def with_outputs(page: Path) -> str:
    """Return the text of a page with the outputs that its examples have now."""
    text = page.read_text("utf-8")
    pieces, done = [], 0
    for match, printed in run(page, text):
        if match[2] is not None:
            pieces += [text[done : match.start(2)], printed]
            done = match.end(2)
    return "".join([*pieces, text[done:]])


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    for name in sys.argv[1:]:
        Path(name).write_text(with_outputs(Path(name)), "utf-8")
