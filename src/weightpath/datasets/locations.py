"""Where the files of a data set may lie, and the error that says where they do not."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

__all__ = ["DataNotFoundError", "cache_folder", "find_files", "not_found"]

VARIABLE = "WEIGHTPATH_DATA"

# Unpacked while reading, never on disk.
COMPRESSIONS = ("", ".gz", ".bz2", ".xz")


class DataNotFoundError(OSError):
    """A data set is in none of the searched folders and cannot be downloaded.

    The message says which files were looked for, where, and what to do.
    """


def cache_folder() -> Path:
    """Return the folder for data sets among the user's cached files.

    The loaders search it last. The library never writes to it, and it need not exist.
    """
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "weightpath"


def homes(data_home: str | PathLike[str] | None) -> list[Path]:
    """Return the folders to search: the one that is named or, if none is, the usual ones."""
    if data_home is not None:
        home = Path(data_home).expanduser()
        if not home.is_dir():
            raise DataNotFoundError(f"data_home must name a folder; there is none at {home}.")
        return [home]
    named = os.environ.get(VARIABLE)
    return [Path(named).expanduser(), cache_folder()] if named else [cache_folder()]


def find_files(
    folder: str, files: Sequence[str], data_home: str | PathLike[str] | None = None
) -> list[Path] | None:
    """Find all of ``files`` in one folder, or return None.

    Parameters
    ----------
    folder : str
        Name of the folder of the data set. The files may lie in it or beside it.
    files : sequence of str
        Names of the files, several spellings of one separated by ``|``. Each may be compressed.
    data_home : path, optional
        The only folder to search.

    Returns
    -------
    list of Path or None
        One path for each of ``files``.
    """
    for home in homes(data_home):
        for place in (home / folder, home):
            found = [existing(place, names) for names in files]
            complete = [path for path in found if path is not None]
            if len(complete) == len(files):
                return complete
    return None


def existing(place: Path, names: str) -> Path | None:
    """Return the file under one of its names, packed or not, or None."""
    candidates = (place / (name + end) for name in names.split("|") for end in COMPRESSIONS)
    return next((path for path in candidates if path.is_file()), None)


def not_found(
    title: str,
    folder: str,
    files: Sequence[str],
    data_home: str | PathLike[str] | None,
    advice: str,
) -> DataNotFoundError:
    """Return the error for files that :func:`find_files` did not find.

    ``advice`` says how an ordinary user gets the data.
    """
    lines = [f"The {title} data were not found. Looked for"]
    lines += [f"    {names.replace('|', ' or ')}" for names in files]
    lines += ["(or the same with .gz, .bz2 or .xz) in"]
    for home in homes(data_home):
        place = home / folder
        if not place.is_dir():
            state = "no such folder"
        else:
            missing = [names.split("|")[0] for names in files if existing(place, names) is None]
            state = f"without {', '.join(missing)}"
        lines.append(f"    {place}: {state}")
    lines += [
        advice,
        f"Put the files into a folder named '{folder}' and name the folder that holds it: by "
        f"data_home=..., or by the environment variable {VARIABLE}; or move it to "
        f"{cache_folder()}.",
    ]
    return DataNotFoundError("\n".join(lines))
