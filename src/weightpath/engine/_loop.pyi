from collections.abc import Callable

from weightpath.engine._drift import Drift

ANSWERS: dict[int, str]

class Loop(Drift):
    def run(self, callback: Callable[[float, int, int], object] | None = None) -> str: ...
    def close(self) -> None: ...
