"""The script of a page: the modules of ``script/`` as one text, without a bundler.

Each module becomes a function that is called once: its imports are taken from the modules before
it, its exports are what the function returns. Names of one module so never meet those of another.
A module imports by ``import { a, b } from "./other.mjs";`` only, and exports what it declares.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

__all__ = ["modules", "page_script", "style", "template", "widget_script"]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:class|function|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^ +", re.MULTILINE)
# The modules that pages of either kind, and widgets, begin with.
_MAIN = {"path": "main", "map": "map_main"}

_PAGE_END = """\
const text = document.getElementById("weightpath-data").textContent;
window.weightpath = $main.mount(document.body, JSON.parse(text));
"""

_WIDGET_END = """\
function render({ model, el }) {
  const page = main.mount(el, JSON.parse(model.get("record")), {
    onTheta: (theta) => {
      model.set("theta", theta);
      model.save_changes();
    },
  });
  const follow = () => page.go(model.get("theta"), false);
  follow();
  model.on("change:theta", follow);
  return () => {
    model.off("change:theta", follow);
    page.close();
  };
}
export default { render };
"""


def modules(name: str = _MAIN["path"]) -> list[str]:
    """Return the names of a module and of all that it imports, each after those that it needs."""
    found: list[str] = []

    def visit(name: str) -> None:
        for _, other in _IMPORT.findall(_source(name)):
            if other not in found:
                visit(other)
        if name not in found:
            found.append(name)

    visit(name)
    return found


@cache
def page_script(kind: str = "path") -> str:
    """Return the script of the page of a path or of a map."""
    return _joined(_MAIN[kind]) + _PAGE_END.replace("$main", _MAIN[kind])


@cache
def widget_script() -> str:
    """Return the module of a widget."""
    return _joined(_MAIN["path"]) + _WIDGET_END


@cache
def style() -> str:
    """Return the style sheet of pages and widgets."""
    return _read("style.css")


@cache
def template() -> str:
    """Return the page around them."""
    return _read("page.html")


def _joined(main: str) -> str:
    return '"use strict";\n' + "".join(_as_function(name) for name in modules(main))


def _as_function(name: str) -> str:
    source = _source(name)
    imports = "".join(
        f"const {{{names.rstrip().rstrip(',')} }} = {other};\n"
        for names, other in _IMPORT.findall(source)
    )
    exports = ", ".join(_EXPORT.findall(source))
    body = _INDENT.sub("", _EXPORT.sub("", _IMPORT.sub("", _COMMENT.sub("", source))))
    return f"const {name} = (() => {{\n{imports}{body}return {{ {exports} }};\n}})();\n"


def _source(name: str) -> str:
    return _read(f"script/{name}.mjs")


def _read(name: str) -> str:
    text = (files("weightpath.page") / name).read_text(encoding="utf-8")
    # A checkout on Windows may have other ends of lines, and the policy names the text by its hash.
    return text.replace("\r\n", "\n")
