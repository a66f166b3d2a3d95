from typing import final

from weightpath.engine._margin import Margin

@final
class Foresight:
    def __init__(self, margin: Margin, n: int) -> None: ...
