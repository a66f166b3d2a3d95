"""``python -m benchmarks``: the library beside what one would use instead."""

from benchmarks.command import bench

bench(prog_name="python -m benchmarks")
