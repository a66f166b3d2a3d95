"""Draw the picture of docs/gradients.md: ``python tools/gradient_picture.py``.

It runs the example of learned weights, ``examples/weights/label_noise.py``, and keeps its figure.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the example and keep its picture."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    runpy.run_path(str(ROOT / "examples" / "weights" / "label_noise.py"))
    pyplot.savefig(ROOT / "docs" / "images" / "label-noise.png", dpi=110)


if __name__ == "__main__":
    main()
