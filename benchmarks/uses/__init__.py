"""The paper's uses on its real data: ``python -m benchmarks.uses.NAME --data DIR --out DIR``."""
