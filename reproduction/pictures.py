"""Pictures as PNG, in light and in dark colours."""

from __future__ import annotations

import io

from reproduction.chapters.chapter import Picture
from weightpath.plotting.theme import require_matplotlib

__all__ = ["render"]

LIGHT = {"ink": "#1b1f24", "paper": "#ffffff"}
DARK = {"ink": "#e6e9ec", "paper": "#16191d"}
DOTS_PER_INCH = 110


def render(picture: Picture, dark: bool = False) -> bytes:
    """Draw on a figure of its own, without pyplot's global state, and return a PNG."""
    matplotlib = require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    colours = DARK if dark else LIGHT
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings: dict[str, object] = dict.fromkeys(ink, colours["ink"])
    settings |= {"figure.facecolor": colours["paper"], "axes.facecolor": colours["paper"]}
    settings |= {"legend.facecolor": colours["paper"], "font.size": 10}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=picture.size, layout="constrained")
        FigureCanvasAgg(figure)
        picture.draw(figure)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=DOTS_PER_INCH, pil_kwargs={"optimize": True})
    return stream.getvalue()
