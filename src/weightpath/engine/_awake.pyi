from typing import final

import numpy as np
from numpy.typing import NDArray

@final
class AwakeRows:
    def __init__(self, root: NDArray[np.float64]) -> None: ...
