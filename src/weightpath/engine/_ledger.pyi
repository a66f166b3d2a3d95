from typing import final

from weightpath.kernels._columns import Columns

@final
class Ledger:
    def __init__(self, columns: Columns) -> None: ...
