"""The page of a path on the landing page, written while the documents are built.

The path is that of the program at the top of the landing page.
"""

from __future__ import annotations

from pathlib import Path

import weightpath as wp

FILE = "moving-page.html"


def write_page(app, exception) -> None:
    if exception is not None or app.builder.format != "html":
        return
    train = wp.datasets.make_toy(400, random_state=0)
    new = wp.datasets.make_toy(1000, random_state=1, like=train)
    model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
    path = model.reweight(train.w_new)
    curve = path.curve(new.X, new.y, "zero_one", new.cost)
    path.to_html(
        Path(app.outdir, FILE), curve, new.X, new.y, sample_weight=new.cost, title="Toy data"
    )


def setup(app):
    app.connect("build-finished", write_page)
    return {"parallel_read_safe": True}
