"""An online model that slides for a long time: its memory and its exactness.

The stream and the model of the table "online", in a process that does nothing else. The resident
memory is read after a tenth of the slides, when everything has found its place, and at the end.
"""

from __future__ import annotations

import json
import sys
from time import process_time

from benchmarks.own_process import answer_of, resident_mb

# (rows of the window, slides)
FULL = (1000, 10_000)
QUICK = (60, 200)


def table(plan) -> list[dict]:
    window, slides = plan
    print(f"slides, {slides}", file=sys.stderr, flush=True)
    return [answer_of("benchmarks.slides", str(window), str(slides))]


def measure(window: int, slides: int) -> dict:
    import weightpath as wp
    from benchmarks.online import make_stream

    X, y = make_stream(window + slides)
    model = wp.OnlineSVC(window=window).fit(X[:window], y[:window])
    early, early_mb, begin = slides // 10, 0.0, process_time()
    for i in range(window, window + slides):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        if i + 1 == window + early:
            early_mb = resident_mb()
    seconds, end_mb = process_time() - begin, resident_mb()
    return {
        "window": window,
        "slides": slides,
        "ms a slide": 1e3 * seconds / slides,
        f"MB after {early}": early_mb,
        f"MB after {slides}": end_mb,
        "grown by MB": end_mb - early_mb,
        "violation at the end": model.svc_.kkt_violation(),
    }


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:]))))
