import numpy as np
from numpy.typing import NDArray

from weightpath.engine._loop_state import LoopState

def assemble(state: LoopState, order: NDArray[np.intp]) -> int: ...
