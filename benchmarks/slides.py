"""An online model that slides for a long time: its memory and its exactness.

The stream and the model of the table "online", in a process that does nothing else. The resident
memory goes up and down by the size of a buffer, so that minima are compared, which a leak would
lift: that of the second and third tenth of the slides with that of the last two.
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
    memory, seconds = [], 0.0
    for i in range(window, window + slides):
        begin = process_time()
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        seconds += process_time() - begin
        if i % 10 == 0:
            memory.append(resident_mb())
    tenth = len(memory) // 10
    early_mb, late_mb = min(memory[tenth : 3 * tenth]), min(memory[-2 * tenth :])
    return {
        "window": window,
        "slides": slides,
        "ms a slide": 1e3 * seconds / slides,
        "least MB, early": early_mb,
        "least MB, late": late_mb,
        "grown by MB": late_mb - early_mb,
        "largest MB": max(memory),
        "violation at the end": model.svc_.kkt_violation(),
    }


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:]))))
