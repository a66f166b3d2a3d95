"""Draw the pictures of the page on region maps: ``python tools/plane_pictures.py``.

The data and the calls are those of ``docs/region-maps.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import weightpath as wp

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DOTS_PER_INCH = 110

LABELS = ("$z_1$  (cost of class -1: from 0.1 to 10)", "$z_2$  (cost of class +1: from 0.1 to 10)")


def save(figure: Any, name: str) -> None:
    """Write a picture for the documents."""
    file = IMAGES / f"{name}.png"
    figure.savefig(file, dpi=DOTS_PER_INCH, pil_kwargs={"optimize": True})
    print(file, f"{file.stat().st_size / 1024:.0f} KB")


def main() -> None:
    """Draw the map, the surface and the ROC hull."""
    train = wp.datasets.make_toy(60, random_state=0)
    new = wp.datasets.make_toy(400, random_state=1, like=train)
    model = wp.SVC(C=0.1, gamma=0.5).fit(train.X, train.y)
    plane = wp.region_map(model, [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}])
    surface = plane.surface(new.X, new.y, "zero_one")
    save(plane.plot(labels=LABELS, surface=surface).figure_, "region-map")
    save(surface.plot(labels=LABELS, resolution=400).figure_, "region-surface")
    hull = wp.roc_hull(wp.SVC(C=10, gamma=0.5).fit(train.X, train.y), new.X, new.y)
    save(hull.plot().figure_, "roc-hull")


if __name__ == "__main__":
    main()
