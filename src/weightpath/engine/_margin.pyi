from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._factor import Factor

@final
class Margin:
    @property
    def factor(self) -> Factor: ...
    @property
    def ridge(self) -> float: ...
    @property
    def scale(self) -> float: ...
    @property
    def n_changes(self) -> int: ...
    def adopt(self, other: Margin, number: NDArray[np.intp]) -> None: ...
    @property
    def members(self) -> list[int]: ...
