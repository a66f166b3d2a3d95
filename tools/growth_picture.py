"""Draw how the time of an event grows: ``python tools/growth_picture.py RESULTS.json``.

The results are those of ``python -m benchmarks.tables --tables growth --out DIR``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DOTS_PER_INCH = 110
LINES = (
    ("us an event", "rows sleep", "-"),
    ("us an event, none asleep", "none asleep", "--"),
)
KERNELS = (("linear", "tab:blue", "o"), ("Gaussian", "tab:orange", "s"))


def main(results: str) -> None:
    """Draw both lines of each kernel, and the share of the rows that an event looks at."""
    table = json.loads(Path(results).read_text(encoding="utf-8"))["growth"]
    figure, (times, shares) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    for kernel, color, mark in KERNELS:
        rows = [row for row in table if row["kernel"] == kernel]
        for name, label, line in LINES:
            known = [row for row in rows if row[name] is not None]
            n, values = [row["n"] for row in known], [row[name] for row in known]
            style = {"color": color, "marker": mark, "linestyle": line}
            times.loglog(n, values, label=f"{kernel}, {label}", **style)
        touched = [row["rows touched %"] for row in rows]
        shares.semilogx([row["n"] for row in rows], touched, marker=mark, color=color, label=kernel)
    times.set(xlabel="rows", ylabel="microseconds an event", title="Time")
    times.legend(fontsize="small")
    shares.legend()
    shares.set(xlabel="rows", ylabel="percent", title="Rows that an event looks at")
    shares.set_ylim(bottom=0)
    for axes in (times, shares):
        axes.grid(alpha=0.3)
    file = IMAGES / "growth.png"
    figure.savefig(file, dpi=DOTS_PER_INCH, pil_kwargs={"optimize": True})
    print(file, f"{file.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(sys.argv[1])
