"""How the pictures of the gallery look."""

from __future__ import annotations

STYLE = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (7.0, 3.6),
    "font.size": 10,
    "legend.frameon": False,
    "savefig.dpi": 130,
}


def set_style(gallery_conf, name) -> None:
    """Called by sphinx-gallery before each example."""
    import matplotlib as mpl

    mpl.rcParams.update(STYLE)


def setup(app):
    return {"parallel_read_safe": True}
