"""The report as HTML, one file with all pictures inside, and as Markdown."""

from __future__ import annotations

import base64
import re

from reproduction.report import Report

__all__ = ["html_page", "markdown_page"]

# The policy forbids every request: all pictures and styles are in the page itself.
HTML = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>The paper's experiments, run again</title>
<style>
:root { --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --line: #d9dee4; --tint: #f4f6f8;
        --link: #0a5c94; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e6e9ec; --faint: #9aa4af; --line: #363c43; --tint: #1f242a;
          --link: #6cb6e8; }
}
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--paper);
       color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 0.5rem; }
h2 { font-size: 1.25rem; margin: 3rem 0 0.5rem; padding-top: 1rem;
     border-top: 2px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 0.3rem; }
p, ul { margin: 0.4rem 0; max-width: 52rem; }
a { color: var(--link); }
code { font-size: 0.9em; }
.faint { color: var(--faint); font-size: 0.9rem; }
.reading { background: var(--tint); border-left: 4px solid #0072B2; padding: 0.5rem 1rem;
           margin: 0.8rem 0; }
.scroll { overflow-x: auto; margin: 0.4rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid var(--line);
         text-align: right; vertical-align: bottom; font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: var(--faint); min-width: 3.2rem; }
td { white-space: nowrap; }
table.words th, table.words td { text-align: left; vertical-align: top; white-space: normal; }
tbody tr:hover { background: var(--tint); }
figure { margin: 1rem 0; }
figcaption { color: var(--faint); font-size: 0.9rem; max-width: 52rem; }
img { display: block; max-width: 100%; height: auto; }
footer { margin-top: 3rem; color: var(--faint); font-size: 0.85rem; }
</style>
</head>
<body>
<h1>The paper's experiments, run again</h1>
<p class="faint">Karasuyama, Harada, Sugiyama and Takeuchi, “Multi-parametric solution-path
algorithm for instance-weighted support vector machines”; by weightpath
{{ report.machine["weightpath"] }}, {{ report.date }}.</p>
<p>Each chapter has what the paper did, what was done otherwise here, what came out, and the tables
and figures. The paper gives the numbers of its Table 1; its figures of times have none in the text,
so that of those only what it says can be compared.</p>
<h3>Contents</h3>
<div class="scroll"><table class="words"><thead><tr><th>experiment</th><th>run</th><th>what came
out</th></tr></thead><tbody>
{% for entry in report.entries -%}
<tr><td><a href="#{{ entry.name }}">{{ entry.chapter.title }}</a></td>
<td>{{ entry.measured.coverage }}{{ ", quick" if entry.measured.is_quick }}</td>
<td>{{ entry.chapter.readings[0] if entry.chapter.readings }}</td></tr>
{% endfor -%}
{% for name, why in report.left_out.items() -%}
<tr><td>{{ name }}</td><td>none</td><td>{{ why }}</td></tr>
{% endfor -%}
</tbody></table></div>
<h3>Machine and versions</h3>
<div class="scroll"><table class="words"><tbody>
{% for name, value in report.machine.items() -%}
<tr><th scope="row">{{ name }}</th><td>{{ value }}</td></tr>
{% endfor -%}
</tbody></table></div>
{% for entry in report.entries %}
<section id="{{ entry.name }}">
<h2>{{ entry.chapter.title }}</h2>
<p>{{ entry.setup }}</p>
<p class="faint">{{ entry.run }}</p>
<div class="reading">
{% for line in entry.chapter.readings -%}
<p>{{ line }}</p>
{% else -%}
<p>Too little was run to say anything.</p>
{% endfor -%}
</div>
<h3>What the paper says</h3>
<ul>
{% for claim in entry.claims -%}
<li>{{ claim.says }} <span class="faint">{{ claim.where }}</span></li>
{% endfor -%}
</ul>
<h3>What was done otherwise</h3>
<ul>
{% for line in entry.chapter.ours -%}
<li>{{ line | marked }}</li>
{% endfor -%}
</ul>
{% for picture in entry.chapter.pictures -%}
<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{{ dark(picture) }}">
<img src="{{ light(picture) }}" alt="{{ picture.caption }}"></picture>
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor -%}
{% for table in entry.chapter.tables -%}
<h3>{{ table.caption }}</h3>
<div class="scroll"><table><thead><tr>
{%- for name in table.columns %}<th scope="col">{{ name }}</th>{% endfor -%}
</tr></thead><tbody>
{% for row in table.rows -%}
<tr>{% for value in row.values() %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor -%}
</tbody></table></div>
<p class="faint">{{ table.note | marked }}</p>
{% endfor -%}
</section>
{% endfor %}
<footer>Written by <code>python -m reproduction</code>.</footer>
</body>
</html>
"""

MARKDOWN = """\
# The paper's experiments, run again

Karasuyama, Harada, Sugiyama and Takeuchi, "Multi-parametric solution-path algorithm for
instance-weighted support vector machines"; by weightpath {{ report.machine["weightpath"] }},
{{ report.date }}.

Each chapter has what the paper did, what was done otherwise here, what came out, and the tables and
figures. The paper gives the numbers of its Table 1; its figures of times have none in the text, so
that of those only what it says can be compared.

| experiment | run | what came out |
|---|---|---|
{% for entry in report.entries -%}
| {{ entry.chapter.title }} | {{ entry.measured.coverage }}
{{- ", quick" if entry.measured.is_quick }} | {{ entry.chapter.readings[0] if
entry.chapter.readings }} |
{% endfor -%}
{% for name, why in report.left_out.items() -%}
| {{ name }} | none | {{ why }} |
{% endfor %}
{% for name, value in report.machine.items() -%}
- {{ name }}: {{ value }}
{% endfor -%}
{% for entry in report.entries %}
## {{ entry.chapter.title }}

{{ entry.setup }}

{{ entry.run }}

{% for line in entry.chapter.readings -%}
> {{ line }}
{% if not loop.last %}>
{% endif %}
{%- else -%}
> Too little was run to say anything.
{% endfor %}
What the paper says:

{% for claim in entry.claims -%}
- {{ claim.says }} ({{ claim.where }})
{% endfor %}
What was done otherwise:

{% for line in entry.chapter.ours -%}
- {{ line }}
{% endfor %}
{%- for picture in entry.chapter.pictures %}
![{{ picture.caption }}]({{ folder }}/{{ picture.name }}.png)

*{{ picture.caption }}*
{% endfor %}
{%- for table in entry.chapter.tables %}
### {{ table.caption }}

| {{ table.columns | join(" | ") }} |
|{{ "---:|" * (table.columns | length) }}
{% for row in table.rows -%}
| {{ row.values() | join(" | ") }} |
{% endfor %}
{{ table.note }}
{% endfor %}
{%- endfor %}
"""


def html_page(report: Report, images: dict[str, tuple[bytes, bytes]]) -> str:
    """Return the page; ``images`` has each picture in light and in dark colours, by name."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    def marked(text: str) -> Markup:
        """Set *words* in italics and `code` as code, as in Markdown."""
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
        return Markup(re.sub(r"\*([^* ][^*]*)\*", r"<i>\1</i>", text))

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["marked"] = marked
    return environment.from_string(HTML).render(
        report=report,
        light=lambda picture: _address(images[picture.name][0]),
        dark=lambda picture: _address(images[picture.name][1]),
    )


def markdown_page(report: Report, folder: str) -> str:
    """Return the page as Markdown, with the pictures in a folder beside it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=False, undefined=StrictUndefined)
    page = environment.from_string(MARKDOWN).render(report=report, folder=folder)
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _address(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode()
