"""A path as one self-contained page: data, script and style in one file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from os import PathLike
from pathlib import Path
from string import Template
from typing import IO, Any

from numpy.typing import ArrayLike

from weightpath.curves import Curve
from weightpath.files import write_whole
from weightpath.page.judged_data import Judged, curve_data, judged_data, judged_rows
from weightpath.page.packing import embedded_json
from weightpath.page.path_data import path_data
from weightpath.page.script_text import page_script, style, template
from weightpath.path import SolutionPath

__all__ = ["page_data", "page_text", "write_html", "write_page"]

# Room around the page itself.
_BODY = "html, body { margin: 0; } body { background: #f6f7f9; }\n" + (
    "@media (prefers-color-scheme: dark) { body { background: #121417; } }\n"
)


def write_html(
    path: SolutionPath,
    file: str | PathLike[str] | IO[str],
    curve: Curve | None = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    title: str = "Solution path",
    names: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    n_checks: int = 11,
    max_mb: float = 100.0,
) -> None:
    """Write a page on which theta moves: one file that needs neither a server nor a network.

    A slider drives everything: coefficients and events, the sets of all rows, a metric's curve,
    the confusion matrix, weights and predictions; with one or two features the model itself, of a
    ranking the order of a query's documents. The browser computes from the record of the path, so
    that everything is exact at every theta. The page follows the reader's choice of a light or a
    dark screen, and a policy in it forbids requests.

    Parameters
    ----------
    path : SolutionPath
        What to show.
    file : str, path or text file
        Where to write. A file is replaced only when the page is complete.
    curve : Curve, optional
        A metric along the path.
    X : array-like, data frame or sparse matrix of shape (n_points, n_features), optional
        Rows to predict, as for ``path.predict``; by default the training rows.
    y : array-like of shape (n_points,), optional
        Their labels or values, for the confusion matrix and beside predictions; of a ranking their
        relevances.
    title : str, default="Solution path"
        Heading of the page.
    names : sequence of shape (n_rows,), optional
        Names of the training rows (of a lasso: of the features); by default those of the data
        frame that the model was trained on.
    sample_weight : array-like of shape (n_points,), optional
        Weights of the rows of ``X`` in the confusion matrix.
    qid : array-like of shape (n_points,), optional
        Queries of the rows of ``X``, for a ranking.
    n_checks : int, default=11
        Number of evenly spaced theta, both ends included, at which the optimality conditions are
        checked afresh from the data.
    max_mb : float, default=100.0
        A larger page is not written: browsers would be slow to open it.

    Raises
    ------
    ValueError
        If the page would be larger than ``max_mb``.

    Examples
    --------
    >>> import io
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(60, random_state=0)
    >>> path = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y).reweight(toy.w_new)
    >>> page = io.StringIO()
    >>> path.to_html(page, path.curve(toy.X, toy.y, "zero_one"), toy.X, toy.y)
    >>> page.getvalue()[:15]
    '<!DOCTYPE html>'
    """
    judged = Judged(X, y, sample_weight, qid)
    data = page_data(path, curve, judged, title=title, names=names, n_checks=n_checks)
    advice = (
        f"the path has {len(path)} segments with large margins. Follow a shorter path, or raise "
        "max_mb."
    )
    write_page(page_text(data, title), file, max_mb, advice)


def write_page(text: str, file: str | PathLike[str] | IO[str], max_mb: float, advice: str) -> None:
    """Write a page; raise, with a word of advice, if it is too large."""
    size = len(text.encode("utf-8")) / 1e6
    if size > max_mb:
        raise ValueError(
            f"The page would have {size:.0f} MB, more than max_mb={max_mb:g}: {advice}"
        )
    if hasattr(file, "write"):
        file.write(text)
    else:
        write_whole(file, lambda part: Path(part).write_text(text, encoding="utf-8", newline="\n"))


def page_data(
    path: SolutionPath,
    curve: Curve | None,
    judged: Judged,
    *,
    title: str,
    names: Sequence[Any] | None = None,
    n_checks: int = 11,
) -> dict[str, Any]:
    """Return everything that the script of a page reads."""
    rows = judged_rows(path, judged)
    return {
        "title": str(title),
        "path": path_data(path, names, n_checks),
        "judged": judged_data(path, rows, judged.X),
        "curve": None if curve is None else curve_data(curve),
    }


def page_text(data: dict[str, Any], title: str, kind: str = "path") -> str:
    """Return the page; its policy allows this script and this style, by their hashes, only.

    Parameters
    ----------
    data : dict
        What the script reads.
    title : str
    kind : {"path", "map"}, default="path"
        What the page is about.
    """
    script, look = f"\n{page_script(kind)}", f"\n{_BODY}{style()}"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(look)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(template()).substitute(
        policy=policy,
        title=escape(str(title)).encode("utf-8", "replace").decode("utf-8"),
        style=look,
        data=embedded_json(data),
        script=script,
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
