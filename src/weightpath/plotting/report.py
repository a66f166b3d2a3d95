"""A path as one self-contained page of HTML."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Mapping
from html import escape
from os import PathLike
from pathlib import Path
from string import Template
from typing import IO, TYPE_CHECKING

import numpy as np

from weightpath.curves import Curve
from weightpath.path import LinearProgramPath
from weightpath.plotting.curve_display import CurveDisplay
from weightpath.plotting.path_display import PathDisplay
from weightpath.plotting.theme import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_report"]

# The policy forbids every request: all pictures and styles are in the page itself.
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --line: #d9dee4; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e6e9ec; --faint: #9aa4af; --line: #363c43; }
}
body { margin: 2rem auto; max-width: 56rem; padding: 0 1rem; background: var(--paper);
       color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 1.5rem 0.25rem 0; border-bottom: 1px solid var(--line);
         text-align: left; vertical-align: top; }
th { font-weight: normal; color: var(--faint); }
td { font-variant-numeric: tabular-nums; }
figure { margin: 0; }
img { display: block; width: 100%; height: auto; }
footer { margin-top: 2rem; color: var(--faint); font-size: 0.85rem; }
</style>
</head>
<body>
<h1>$title</h1>
$sections
<footer>Written by weightpath.</footer>
</body>
</html>
""")

LIGHT = {"ink": "#1b1f24", "paper": "#ffffff"}
DARK = {"ink": "#e6e9ec", "paper": "#16191d"}


def write_report(
    path: LinearProgramPath,
    file: str | PathLike[str] | IO[str],
    curve: Curve | None = None,
    *,
    title: str = "Solution path",
    n_checks: int = 11,
) -> None:
    """Write a page with a summary, the pictures of a path and, if given, of a curve.

    The page is one file: pictures and styles are inside, and it makes no request. It follows
    the reader's choice of a light or a dark screen.

    Parameters
    ----------
    path : LinearProgramPath
        What to report on.
    file : str, path or text file
        Where to write.
    curve : Curve, optional
        A metric along the path.
    title : str
        Heading of the page.
    n_checks : int
        Number of evenly spaced theta, both ends included, at which the optimality conditions
        are checked afresh from the data.
    """
    require_matplotlib()
    display = PathDisplay.from_path(path)
    sections = [
        _section("Summary", _table(_path_rows(path, display, n_checks))),
        _section("Path", _picture(_draw_path(display), _description(display))),
    ]
    if curve is not None:
        picture = _picture(_draw_curve(CurveDisplay(curve)), f"{curve.metric} against theta")
        sections.append(_section("Curve", picture + _table(_curve_rows(curve))))
    page = PAGE.substitute(title=escape(title), sections="\n".join(sections))
    if hasattr(file, "write"):
        file.write(page)
    else:
        Path(file).write_text(page, encoding="utf-8")


def _path_rows(
    path: LinearProgramPath, display: PathDisplay, n_checks: int
) -> list[tuple[str, str]]:
    checks = np.linspace(path.theta[0], path.theta[-1], max(2, n_checks))
    violation = max(float(path.kkt_violation(float(theta))) for theta in checks)
    sizes = display.margin_sizes
    n = np.shape(path.at(float(path.theta[0])).dual_coef)[-1]
    wording = display.wording
    return [
        (wording.rows, f"{n}"),
        ("Events", f"{len(display.event_theta)}"),
        ("Segments", f"{len(path.theta) - 1}"),
        (
            wording.margin.capitalize(),
            f"{sizes.mean():.2f} in the mean over segments, {sizes.max()} most",
        ),
        ("Status", str(getattr(path.status, "message", path.status))),
        (f"Largest KKT violation at {len(checks)} places", f"{violation:.2g}"),
        *(
            (f"Duality gap at θ = {theta:.4g}", f"{float(path.duality_gap(float(theta))):.2g}")
            for theta in (checks[0], checks[-1])
        ),
    ]


def _description(display: PathDisplay) -> str:
    return f"Coefficients, number of {display.wording.margin}, and events"


def _curve_rows(curve: Curve) -> list[tuple[str, str]]:
    best = curve.best
    left, right = best.interval
    holds = f"{left:.6g} to {right:.6g}" if left < right else "a single place"
    return [
        ("Metric", curve.metric),
        ("Intervals", f"{len(curve)}"),
        ("At the start", f"{curve(curve.edges[0]):.6g}"),
        ("At the end", f"{curve(curve.edges[-1]):.6g}"),
        ("Best value", f"{best.value:.6g}"),
        ("Best θ", f"{best.theta:.6g}"),
        ("Holds on", holds),
    ]


def _section(heading: str, body: str) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{body}\n</section>"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = [
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    ]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _picture(draw: Callable[[Figure], None], alt: str) -> str:
    """The picture in light and in dark colours; the browser takes one of them."""
    light, dark = (_svg(draw, colours) for colours in (LIGHT, DARK))
    return (
        '<figure><picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="{dark}"><img src="{light}" alt="{escape(alt)}"></picture></figure>'
    )


def _draw_path(display: PathDisplay) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(8.5, 7.5)
        display.plot(figure.subplots(3, sharex=True, height_ratios=(3, 1.4, 1.2)))

    return draw


def _draw_curve(display: CurveDisplay) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(8.5, 4)
        display.plot(figure.subplots())

    return draw


def _svg(draw: Callable[[Figure], None], colours: Mapping[str, str]) -> str:
    """Draw on a separate figure, without pyplot's global state, and return a data address."""
    matplotlib = require_matplotlib()
    from matplotlib.figure import Figure

    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings = dict.fromkeys(ink, colours["ink"])
    settings |= {"figure.facecolor": colours["paper"], "axes.facecolor": colours["paper"]}
    # A fixed salt makes equal paths give equal files.
    settings["svg.hashsalt"] = "weightpath"
    with matplotlib.rc_context(settings):
        figure = Figure(layout="constrained")
        draw(figure)
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode()
