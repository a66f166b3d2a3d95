"""The campaign from the shell.

python tests/campaign/run.py --count 1000 --first-seed 0 --jobs 2
python tests/campaign/run.py --seed 17
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from campaign.examine import SECONDS, Finding, Report, examine  # noqa: E402
from campaign.problems import problem  # noqa: E402
from campaign.summary import failing_lines, summary  # noqa: E402

# Native code may not listen to the clock: after so many more seconds the process is ended.
GRACE = 15.0


def work(pipe) -> None:
    """Examine seeds as they come."""
    while (seed := pipe.recv()) is not None:
        pipe.send(examine(seed))


class Worker:
    """A process that examines one seed at a time and can be replaced."""

    def __init__(self):
        self.seed, self.since = None, 0.0
        self.pipe, other = mp.Pipe()
        self.process = mp.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, seed) -> None:
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send(seed)

    def take(self) -> Report | None:
        """Return a report if there is one: the worker's, or one of its end."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()
        except (EOFError, OSError):
            return self.lost("exception", f"the process ended ({self.process.exitcode})")
        if time.monotonic() - self.since > SECONDS + GRACE:
            self.process.kill()
            return self.lost("too slow", "the process was ended")
        return None

    def lost(self, category, where) -> Report:
        self.process.join()
        case = problem(self.seed)
        finding = Finding(category, 0.0, where)
        return Report(self.seed, case.estimator, case.kernel, (finding,))

    @property
    def usable(self) -> bool:
        return self.process.is_alive()


def campaign(seeds, jobs: int, tell=None) -> list[Report]:
    """Examine all seeds on so many processes."""
    waiting, reports = list(seeds)[::-1], []
    workers = [Worker() for _ in range(jobs)]
    busy = set()
    while waiting or busy:
        for k, worker in enumerate(workers):
            if k in busy:
                report = worker.take()
                if report is None:
                    continue
                reports.append(report)
                busy.discard(k)
                if tell:
                    tell(report, len(reports))
                worker.process.join(timeout=0.0)
            if not worker.usable:
                workers[k] = worker = Worker()
            if waiting and k not in busy:
                worker.give(waiting.pop())
                busy.add(k)
        time.sleep(0.002)
    for worker in workers:
        worker.pipe.send(None)
        worker.process.join()
    return sorted(reports, key=lambda report: report.seed)


def show_one(seed: int) -> int:
    """Print all that is known of one problem."""
    case = problem(seed)
    print(f"seed {seed}: {case.estimator}, kernel {case.kernel}, {len(case.start)} rows")
    for name in ("params", "move"):
        print(f"  {name}: {getattr(case, name)}")
    report = examine(seed)
    print(f"  {report.category}; {report.n_looked_at} points looked at")
    for finding in report.findings:
        print(f"    {finding.category}: {finding.figure:.2e} {finding.where}")
    return bool(report.findings)


def main() -> int:
    parser = argparse.ArgumentParser(description="Ugly problems against an independent judge.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, help="one problem, with details")
    parser.add_argument("--quiet", action="store_true", help="no line for each failing seed")
    options = parser.parse_args()
    if options.seed is not None:
        return show_one(options.seed)
    began = time.monotonic()
    seeds = range(options.first_seed, options.first_seed + options.count)

    def tell(report, done):
        if done % 500 == 0 and sys.stderr.isatty():
            print(f"{done} of {options.count}", file=sys.stderr)

    reports = campaign(seeds, options.jobs, tell)
    print(summary(reports))
    print(f"{time.monotonic() - began:.0f} s")
    if not options.quiet:
        print("\n".join(failing_lines(reports)))
    return int(any(report.findings for report in reports))


if __name__ == "__main__":
    sys.exit(main())
