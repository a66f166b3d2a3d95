"""Check the links inside a built site: every file and every anchor they name must exist.

Links to other sites are not followed::

    python tools/check_links.py build/docs
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that name another file, by element.
LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


class _Page(HTMLParser):
    """Collects the links of a page, with their lines, and the anchors that it offers."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[tuple[int, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        link = found.get(LINKS.get(tag, ""))
        if link:
            self.links.append((self.getpos()[0], link))


@cache
def _read(file: Path) -> _Page:
    return _Page(file.read_text("utf-8"))


def broken_links(site: Path) -> list[str]:
    """Return a line for each link of the site that leads nowhere."""
    found, site = [], site.resolve()
    for file in sorted(site.rglob("*.html")):
        for line, link in _read(file).links:
            reason = _why_broken(site, file, link)
            if reason:
                found.append(f"{file.relative_to(site)}:{line}: {link}: {reason}")
    return found


def _why_broken(site: Path, file: Path, link: str) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site):
        return "outside of the site"
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target.suffix == ".html" and anchor not in _read(target).anchors:
        return "no such anchor"
    return None


if __name__ == "__main__":
    broken = broken_links(Path(sys.argv[1]))
    print("\n".join(broken) or "All links inside the site lead somewhere.")
    sys.exit(bool(broken))
