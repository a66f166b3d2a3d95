import numpy as np
from numpy.typing import NDArray

from weightpath.engine._standing import Standing

class Changes(Standing):
    def assemble(self, order: NDArray[np.intp]) -> int: ...
