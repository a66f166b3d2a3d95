"""What all pictures share: the late import, colours, the look of a panel."""

from __future__ import annotations

from itertools import product
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ACCENT", "MAIN", "THETA_LABEL", "line_styles", "require_matplotlib", "tidy"]

# The palette of Okabe and Ito, which readers with any colour vision can distinguish, on a light and
# on a dark page; without its black and its yellow, each invisible on one of the two.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MAIN = COLOURS[0]
ACCENT = COLOURS[1]

THETA_LABEL = "θ  (0 = start, 1 = end of the path)"


def require_matplotlib() -> ModuleType:
    """Import matplotlib, or say what to install.

    Returns
    -------
    module
        ``matplotlib``.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib: pip install 'weightpath[plot]' (or matplotlib itself)."
        ) from error
    return matplotlib


def line_styles(count: int) -> list[tuple[str, str]]:
    """Colour and dash pattern of each of ``count`` lines; the first twelve all differ."""
    styles = [(colour, dash) for dash, colour in product(("-", "--"), COLOURS)]
    return [styles[i % len(styles)] for i in range(count)]


def tidy(ax: Axes) -> None:
    """Remove what carries no information and add a light grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
