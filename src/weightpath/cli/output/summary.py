"""The summary of a command: the same lines on the screen and in summary.md."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from weightpath.cli.output.findings import theta_of_interest

__all__ = ["as_markdown", "next_steps", "print_summary"]

WIDTH = 100

# What Markdown (and HTML inside it) would read as markup within a line.
_MARKUP = re.compile(r"[\\`*_\[\]<>|&~$]")

Row = tuple[str, str, str]


def print_summary(found: dict[str, Any]) -> None:
    """Print the summary on standard output."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    console.print(Text(f"\n{found['headline']}\n", style="bold"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for heading, rows in _sections(found):
        table.add_row(Text(heading, style="bold cyan"))
        for name, value, note in rows:
            table.add_row(Text(f"  {name}"), Text(value), Text(note))
        table.add_row()
    console.print(table)
    for note in found["notes"]:
        console.print(Text(f"Note: {note}", style="yellow"))
    if found["notes"]:
        console.print()
    console.print(Text("Files", style="bold cyan"))
    for name in found["files"]:
        console.print(Text(f"  {found['files'][name]}"), soft_wrap=True)
    for heading, lines in next_steps(found).items():
        console.print(Text(f"\n{heading}", style="bold cyan"))
        for line in lines:
            console.print(Text(f"  {line}".rstrip()), soft_wrap=True)
    console.print()


def as_markdown(found: dict[str, Any]) -> str:
    """Return the summary as a page of Markdown."""
    lines = [f"# weightpath {found['command']}", "", _escaped(found["headline"]), ""]
    for heading, rows in _sections(found):
        lines += [f"## {_escaped(heading)}", "", "| | | |", "|---|---:|---|"]
        lines += [f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in rows]
        lines.append("")
    lines += [f"Note: {_escaped(note)}\n" for note in found["notes"]]
    lines += ["## Files", "", *(f"- `{Path(name).name}`" for name in found["files"]), ""]
    for heading, steps in next_steps(found).items():
        language = "python" if "Python" in heading else "console"
        lines += [f"## {heading}", "", f"```{language}", *steps, "```", ""]
    return "\n".join(lines)


def next_steps(found: dict[str, Any]) -> dict[str, list[str]]:
    """Return what to do with the files: a command, and lines of Python to run as they are."""
    files = found["files"]
    if "model.skops" not in files or "path.npz" not in files:
        return {}
    kind = Path(found["data"]["file"]).suffix if found["data"].get("kinds") else ".svm"
    new = f"new{kind if kind in ('.csv', '.xlsx', '.parquet', '.svm', '.tsv') else '.csv'}"
    model = shlex.quote(files["model.skops"])
    theta = theta_of_interest(found)
    call = found["data"].get("call")
    lines = ["import pandas"] if call else []
    lines += [
        "import weightpath as wp",
        "",
        f"path = wp.load({files['path.npz']!r})  # every solution",
        f"model = path.model_at({theta!r})  # that of model.skops, a fitted pipeline",
    ]
    if call:
        lines.append(f"model.predict({call})  # raw rows")
    return {
        "Next, for new rows": [f"weightpath predict {model} {new} --out predictions.csv"],
        "Next, in Python": lines,
    }


def _sections(found: dict[str, Any]) -> Iterator[tuple[str, list[Row]]]:
    yield "Data", _data_rows(found)
    if "search" in found:
        yield "Search", _search_rows(found)
    if "path" in found:
        yield "Path", _path_rows(found)
    if "certificate" in found:
        yield "Certificate, from the data alone", _certificate_rows(found)
    if "curve" in found:
        yield f"Curve of {found['curve']['metric']}", _curve_rows(found)


def _data_rows(found: dict[str, Any]) -> list[Row]:
    data, model = found["data"], found["model"]
    rows = [("rows", f"{data['rows']:,}", data["file"])]
    if "queries" in data:
        rows.append(("queries", f"{data['queries']:,}", ""))
    rows.append(("columns used", f"{data['columns']:,}", _columns(data)))
    rows.append(("features", f"{data['features']:,}", _preparation(data)))
    if "classes" in data:
        names = [f"{name} ({count:,})" for name, count in data["classes"].items()]
        shown = ", ".join(names[:6]) + (", ..." if names[6:] else "")
        rows.append((f"classes of {data['target']}", f"{len(names)}", shown))
    elif data["target"] is not None:
        rows.append(("target", data["target"], data["task"]))
    rows.append(("model", model["estimator"], _parameters(model)))
    rows.append(("weights", "theta 0 to 1", f"from {model['start']} to {model['end']}"))
    return rows


def _columns(data: dict[str, Any]) -> str:
    """Return what the columns are, if they have names."""
    counts = data.get("kinds", {})
    found = [f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in counts.items() if n]
    left_out = len(data.get("left_out", ()))
    return ", ".join(found) + (f"; {left_out} left out, see below" if left_out else "")


def _preparation(data: dict[str, Any]) -> str:
    """Return how columns became features."""
    words = {"standard": "scaled to mean 0, variance 1", "minmax": "scaled to 0 to 1"}
    found = [words[data["scaling"]]] if data["scaling"] in words else []
    kinds = data.get("kinds", {})
    if kinds.get("text"):
        found.append("texts one-hot")
    if kinds.get("date"):
        found.append("dates as numbers")
    if data.get("missing_values"):
        found.append(f"{data['missing_values']:,} missing values filled")
    return ", ".join(found)


def _parameters(model: dict[str, Any]) -> str:
    names = [name for name in model if name not in ("estimator", "start", "end")]
    return ", ".join(
        f"{name} {model[name]:.4g}" if isinstance(model[name], float) else f"{name} {model[name]}"
        for name in names
        if not (name == "ridge" and model[name] == 0)
    )


def _search_rows(found: dict[str, Any]) -> list[Row]:
    search = found["search"]
    rows = [("folds", f"{search['folds']}", ""), ("time", _seconds(search["seconds"]), "")]
    if search["grid_points"] > 1:
        chosen = ", ".join(f"{name} {value:g}" for name, value in search["best_params"].items())
        rows.append(("points of the grid", f"{search['grid_points']}", f"chosen: {chosen}"))
    return rows


def _path_rows(found: dict[str, Any]) -> list[Row]:
    path = found["path"]
    rows = []
    if "pairs" in path:
        rows.append(("pairs of documents", f"{path['pairs']:,}", ""))
    parts = f"{path['parts']} pairs of classes" if "parts" in path else ""
    rows += [
        ("events", f"{path['events']:,}", parts),
        ("breakpoints", f"{path['breakpoints']:,}", ""),
        ("margin, mean size", f"{path['margin_mean']:.2f}", f"at most {path['margin_largest']:,}"),
    ]
    if path["theta_reached"] < 1.0:
        rows.append(("theta reached", f"{path['theta_reached']:.6f}", path["status"]))
    if "seconds" in path:
        rows.append(("time", _seconds(path["seconds"]), ""))
    return rows


def _certificate_rows(found: dict[str, Any]) -> list[Row]:
    proof = found["certificate"]
    where = {None: "all breakpoints and middles", 1: "at the end"}.get(
        proof["places"], f"at {proof['places']} places evenly along the path"
    )
    end = found["path"]["theta_reached"]
    return [
        ("largest KKT violation", f"{proof['kkt_violation']:.1e}", where),
        (
            "duality gap at theta = 0",
            f"{proof['duality_gap_start']:.1e}",
            f"of {proof['objective_start']:.6g}",
        ),
        (
            f"duality gap at theta = {end:.4g}",
            f"{proof['duality_gap_end']:.1e}",
            f"of {proof['objective_end']:.6g}",
        ),
    ]


def _curve_rows(found: dict[str, Any]) -> list[Row]:
    curve = found["curve"]
    low, high = curve["best_interval"]
    holds = f"for theta from {low:.6f} to {high:.6f}" if low < high else "at this theta only"
    better = "highest" if curve["greater_is_better"] else "lowest"
    start, end = "at theta = 0", f"at theta = {found['path']['theta_reached']:.4g}"
    rows = [
        (start, f"{curve['at_start']:.6g}", curve["source"]),
        (end, f"{curve['at_end']:.6g}", f"{curve['intervals']:,} intervals"),
        (f"{better} in between", f"{curve['best_value']:.6g}", holds),
        ("best theta", f"{curve['best_theta']:.6f}", ""),
    ]
    chosen = found.get("chosen")
    if chosen and chosen["theta"] != curve["best_theta"]:
        rows.append(("chosen theta", f"{chosen['theta']:.6f}", f"{chosen['rule']}"))
        rows.append(("value there", f"{chosen['value']:.6g}", ""))
    return rows


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.0f} ms"


def _escaped(text: str) -> str:
    """Return text from a file or a table so that Markdown shows it as it is, on one line."""
    # A line break would end the row of a table; other control characters show as nothing.
    plain = "".join(char if char.isprintable() else " " for char in text)
    return _MARKUP.sub(r"\\\g<0>", plain)
