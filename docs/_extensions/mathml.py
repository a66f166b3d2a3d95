r"""Formulas as MathML, which browsers show by themselves: no script, no network.

LaTeX is translated by latex2mathml. The font, STIX Two Math, is the one that comes with the package
ziamath, cut down to the signs that formulas use: a few hundred kilobytes, loaded by pages with
formulas only.
"""

from __future__ import annotations

import logging
import re
from importlib import resources
from pathlib import Path

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert
from sphinx.util.math import get_node_equation_number

FONT = "stix-two-math.woff"
# Latin, Greek, punctuation, letter-like signs, arrows, operators, brackets, alphabets of
# mathematics.
SIGNS = [
    (0x20, 0x17F), (0x2B0, 0x3FF), (0x2000, 0x206F), (0x20D0, 0x20EF), (0x2100, 0x23FF),
    (0x27C0, 0x2AFF), (0x1D400, 0x1D7FF),
]  # fmt: skip
# Operators whose limits stand below them in a displayed formula; latex2mathml puts them beside.
BELOW = re.compile(r"<msub>(<mo>(?:min|max|inf|sup|lim|arg\s?min|arg\s?max)</mo>.*?)</msub>")


def to_mathml(tex: str, display: str) -> str:
    """Return the MathML of a formula, which reads as its LaTeX where MathML is unknown."""
    found = convert(tex, display=display)
    if display == "block":
        found = BELOW.sub(r"<munder>\1</munder>", found)
    return found


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
        options = subset.Options(
            flavor="woff", layout_features=["ssty", "dtls", "kern"], hinting=False
        )
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
