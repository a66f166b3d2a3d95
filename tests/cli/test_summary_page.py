"""summary.md shows labels and names as they are, whatever Markdown would make of them."""

import pytest
from markdown_it import MarkdownIt

from cli.command_line import invoke, sample, write_csv

LABELS = {
    "pipe": "a|b",
    "pipe after a backslash": "a\\|b",
    "emphasis": "*a* _b_ ~~c~~",
    "code": "`a``b",
    "link": "[a](http://b)",
    "picture": "![a](b)",
    "html": "<script>alert(1)</script>",
    "entity": "a&lt;b",
    "dollars": "$a$",
    "backslash": "a\\",
}


def rendered(page: str) -> tuple[list[str], str]:
    """Return the texts of all cells of tables, and everything as HTML."""
    reader = MarkdownIt("commonmark").enable("table")
    cells, inside = [], False
    for token in reader.parse(page):
        if token.type in ("td_open", "td_close"):
            inside = token.type == "td_open"
        elif inside and token.type == "inline":
            # Anything but text and what replaces an escape is markup that was not meant.
            kinds = {child.type for child in token.children}
            assert kinds <= {"text", "text_special"}, (token.content, kinds)
            cells.append("".join(child.content for child in token.children))
    return cells, reader.render(page)


@pytest.mark.parametrize("name", LABELS)
def test_labels_and_names_are_shown_as_they_are(tmp_path, name):
    label = LABELS[name]
    columns = {key: values for key, values in sample().items() if key in ("a", "b", "c")}
    columns["to_<b>_|"] = ["ham" if spam == "ham" else label for spam in sample()["label"]]
    file = write_csv(tmp_path / "data|_`x`_<i>.csv", columns)
    answer = invoke(
        *("trace", file, "--target", "to_<b>_|", "--task", "classification"),
        *("--end", "forgetting:3", "--out", tmp_path / "out"),
    )
    assert answer.exit_code == 0, answer.output
    cells, html = rendered((tmp_path / "out" / "summary.md").read_text())
    assert any(f"{label} (" in cell for cell in cells), cells
    assert "classes of to_<b>_|" in cells
    assert any(cell.endswith("data|_`x`_<i>.csv") for cell in cells)
    assert "<script>" not in html and "<i>" not in html and "<b>" not in html


def test_line_breaks_do_not_end_a_row():
    from weightpath.cli.output.summary import as_markdown

    found = {
        "command": "trace",
        "headline": "Complete",
        "notes": ["one\n## two"],
        "files": [],
        "data": {
            "rows": 2,
            "file": "two\nlines\r.csv",
            "columns": 1,
            "features": 1,
            "scaling": "none",
            "classes": {"a\n\nb": 1, "c\x00": 1},
            "target": "y",
        },
        "model": {"estimator": "SVC", "start": "ones", "end": "ones"},
    }
    page = as_markdown(found)
    cells, html = rendered(page)
    assert "a  b (1), c  (1)" in cells and "two lines .csv" in cells
    assert html.count("<h2>") == 2  # Data, Files
