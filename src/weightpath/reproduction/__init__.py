"""The paper's uses on its real data: ``python -m weightpath.reproduction.NAME --out DIR``."""
