import numpy as np
from numpy.typing import NDArray

class Crossings: ...

class Steps:
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
