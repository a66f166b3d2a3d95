from weightpath.engine._factor import Factor
from weightpath.kernels._columns import Columns

class Margin:
    factor: Factor
    ridge: float
    scale: float
    def __init__(self, columns: Columns, factor: Factor, ridge: float, scale: float) -> None: ...
    @property
    def members(self) -> list[int]: ...
