r"""Formulas as MathML, which browsers show by themselves: no script, no network.

LaTeX is translated by latex2mathml. The font, STIX Two Math, is the one that comes with the package
ziamath, cut down to the signs that formulas use: a few hundred kilobytes, loaded by pages with
formulas only.
"""

from __future__ import annotations

import logging
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert
from sphinx.util import logging as sphinx_logging
from sphinx.util.math import get_node_equation_number

MATHML = "{http://www.w3.org/1998/Math/MathML}"
LOGGER = sphinx_logging.getLogger(__name__)
FONT = "stix-two-math.woff"
# Latin, Greek, punctuation, letter-like signs, arrows, operators, brackets, alphabets of
# mathematics.
SIGNS = [
    (0x20, 0x17F), (0x2B0, 0x3FF), (0x2000, 0x206F), (0x20D0, 0x20EF), (0x2100, 0x23FF),
    (0x27C0, 0x2AFF), (0x1D400, 0x1D7FF),
]  # fmt: skip
# Operators whose limits stand below them in a displayed formula; latex2mathml puts them beside.
LIMITS = {"min", "max", "inf", "sup", "lim", "argmin", "argmax"}
PRIMES = {"\u2032", "\u2033"}
ACCENTS = {"\u02d9", "\u00a8", "^", "\u02c6", "~", "\u02dc", "\u00af"}
INFINITY = "\u221e"


def to_mathml(tex: str, display: str) -> str:
    """Return the MathML of a formula, with what latex2mathml leaves to be desired."""
    root = ElementTree.fromstring(
        convert(tex.replace(r"\arg", r"\operatorname{arg}"), display=display)
    )
    for element in root.iter():
        _mend(element, display)
        if (element.text or "").startswith("\\"):
            LOGGER.warning("latex2mathml does not know %s, in the formula %s", element.text, tex)
    ElementTree.register_namespace("", MATHML[1:-1])
    return ElementTree.tostring(root, encoding="unicode")


def _mend(element: ElementTree.Element, display: str) -> None:
    children = list(element)
    kind, last = element.tag.removeprefix(MATHML), children[-1].text if children else None
    if kind == "mo" and (element.text == INFINITY or (element.text or "").isalpha()):
        element.tag = (
            f"{MATHML}mi"  # a number or a name, not a sign between two: no space around it
        )
    elif kind == "mo" and element.text == "|":
        element.attrib.update(lspace="0", rspace="0")
    elif kind == "mtext":
        element.text = (element.text or "").replace(r"\_", "_")
    elif kind == "msup" and last in PRIMES:
        element.tag = f"{MATHML}mrow"  # the sign is raised by itself
        children[-1].tag = f"{MATHML}mo"
        children[-1].attrib.update(lspace="0", rspace="0")
    elif kind == "mover" and last in ACCENTS:
        element.set("accent", "true")
    elif kind == "msub" and display == "block" and "".join(children[0].itertext()) in LIMITS:
        element.tag = f"{MATHML}munder"


def visit_inline(self, node: nodes.math) -> None:
    self.body.append(to_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    text = node.astext()
    if (
        not node.get("no-wrap", node.get("nowrap", False))
        and r"\\" in text
        and r"\begin" not in text
    ):
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    self.body.append(to_mathml(text, "block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def write_font(app, exception) -> None:
    """Put the font where the style sheet looks for it."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static", FONT)
    if target.exists():
        return
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    source = resources.files("ziamath").joinpath("fonts", "STIXTwoMath-Regular.ttf")
    with source.open("rb") as file:
        font = TTFont(file)
        options = subset.Options(flavor="woff", layout_features=["ssty", "dtls", "kern"])
        cut = subset.Subsetter(options)
        cut.populate(unicodes=[sign for low, high in SIGNS for sign in range(low, high + 1)])
        cut.subset(font)
        font.flavor = "woff"
        font.save(target)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.add_css_file("mathml.css")
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
