"""Pictures of results; without Matplotlib there are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weightpath.cli.output.folder import OutputFolder
from weightpath.curves import Curve
from weightpath.path import SolutionPath

__all__ = ["draw_pictures"]

ADVICE = "No pictures: they need Matplotlib, pip install 'weightpath[plot]'."
FOLD_COLOUR = "#B0B7BF"
DPI = 110

# Segments whose coefficients are drawn: fewer of a path over very many rows or pairs, so that a
# picture takes a few seconds at most.
MOST_SEGMENTS, FEWEST_SEGMENTS = 500, 120
ROWS_READ = 10_000_000


def draw_pictures(
    output: OutputFolder,
    path: SolutionPath | None,
    curve: Curve | None,
    folds: Sequence[Curve] = (),
) -> list[str]:
    """Draw path.png and, if there is a curve, curve.png; return what the user should know."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return [ADVICE]
    if path is not None:
        output.write("path.png", lambda file: _draw_path(file, path))
    if curve is not None:
        output.write("curve.png", lambda file: _draw_curve(file, curve, folds))
    return []


def _draw_path(file: Path, path: SolutionPath) -> None:
    from matplotlib.figure import Figure

    from weightpath.plotting import PathDisplay

    figure = Figure(figsize=(9, 7.5), layout="constrained")
    axes = figure.subplots(3, sharex=True, height_ratios=(3, 1.4, 1.2))
    n_rows = len(path.at(0.0).weights)
    max_segments = int(min(MOST_SEGMENTS, max(FEWEST_SEGMENTS, ROWS_READ / n_rows)))
    PathDisplay.from_path(path, max_segments=max_segments).plot(axes)
    figure.savefig(file, format="png", dpi=DPI, facecolor="white")


def _draw_curve(file: Path, curve: Curve, folds: Sequence[Curve]) -> None:
    from matplotlib.figure import Figure

    from weightpath.plotting import CurveDisplay

    figure = Figure(figsize=(9, 7 if folds else 4.5), layout="constrained")
    # Folds differ by more than the mean varies: it has a separate panel.
    panels = figure.subplots(2 if folds else 1, sharex=True, squeeze=False)[:, 0]
    CurveDisplay(curve).plot(panels[0], label="mean over folds" if folds else None)
    for k, fold in enumerate(folds):
        label = f"{len(folds)} folds" if k == 0 else None
        CurveDisplay(fold).plot(panels[1], color=FOLD_COLOUR, label=label, show_best=False)
    if folds:
        CurveDisplay(curve).plot(panels[1], show_best=False)
        panels[0].set_xlabel("")
    figure.savefig(file, format="png", dpi=DPI, facecolor="white")
