"""``weightpath predict``: read a model and rows, predict, write."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import click

from weightpath.cli.commands.library_errors import library_errors, no_warnings
from weightpath.cli.errors import InputError
from weightpath.cli.input.columns import find_column
from weightpath.cli.input.features import TEXT
from weightpath.cli.input.files import FileTable, Reading, SvmlightRows, read_file
from weightpath.cli.input.new_rows import rows_of_features, unknown_texts
from weightpath.cli.input.number_text import texts
from weightpath.cli.input.preparation import features_of, known_texts
from weightpath.cli.input.saved_model import load_model
from weightpath.cli.output.folder import write_table
from weightpath.cli.output.live_progress import LiveProgress
from weightpath.cli.output.predictions import prediction_columns
from weightpath.files import write_whole

__all__ = ["run_predict"]


def run_predict(options: dict[str, Any]) -> None:
    """Predict, write, and say how it went."""
    out: Path = options["out"]
    to_screen = str(out) == "-"
    if to_screen and options["as_json"]:
        raise InputError("--out - and --json exclude each other: both print on standard output.")
    if not to_screen:
        _check_file(out)
    with LiveProgress(quiet=options["as_json"] or to_screen) as live:
        model = load_model(options["model"])
        columns, X, notes = _read(model, options)
        live.begin("Predicting")
        with library_errors(out.parent), no_warnings():
            columns |= prediction_columns(model, X)
        live.begin("Writing")
        rows = zip(*columns.values(), strict=True)
        if not to_screen:
            write_whole(out, lambda file: write_table(file, list(columns), rows))
    if to_screen:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    _report(options, len(next(iter(columns.values()))), list(columns), notes)


def _check_file(out: Path) -> None:
    if out.is_dir():
        raise InputError(f"--out {out} is a folder. Name a file, as {out / 'predictions.csv'}.")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}. Make it first.")


def _read(model: Any, options: dict[str, Any]) -> tuple[dict[str, list[Any]], Any, list[str]]:
    """Return the columns to copy, the rows for the model, and what the user should know."""
    data: Path = options["data"]
    given = {name: options[name] for name in ("kind", "header", "sheet")}
    features = features_of(model)
    if not features:
        if options["copy"]:
            raise InputError(f"--copy: {data} is an svmlight file, without columns.")
        rows = read_file(data, Reading(**given, n_features=model.n_features_in_))
        if not isinstance(rows, SvmlightRows):
            raise InputError(
                f"{data} must be an svmlight file, as the training rows were; --format svmlight "
                "says so where its name does not."
            )
        return {}, rows.X.toarray() if _wants_dense(model) else rows.X, []
    known = tuple(feature.name for feature in features if feature.kind == TEXT)
    table = read_file(data, Reading(**given, texts=known))
    if not isinstance(table, FileTable):
        raise InputError(f"{data} must be a table with columns, as the training table was.")
    X, notes = rows_of_features(table, features, "the training table")
    copied = {}
    for wanted in options["copy"]:
        name = find_column(table, wanted, "--copy")
        words = texts(table.frame[name])
        copied[name] = ["" if word is None else word for word in words]
    return copied, X, [*table.notes, *notes, *unknown_texts(X, known_texts(model))]


def _wants_dense(model: Any) -> bool:
    """Whether the rows that a model was trained with were not sparse."""
    return not hasattr(model[-1].training_set_.X, "toarray")


def _report(options: dict[str, Any], n_rows: int, names: list[str], notes: list[str]) -> None:
    if options["as_json"]:
        found = {"command": "predict", "exit_code": 0, "rows": n_rows, "columns": names}
        found |= {"file": str(options["out"]), "notes": notes}
        click.echo(json.dumps(found))
        return
    for note in notes:
        click.echo(f"Note: {note}", err=True)
    if str(options["out"]) != "-":
        click.echo(f"{n_rows:,} rows predicted: {options['out']} has {', '.join(names)}.")
