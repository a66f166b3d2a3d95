from typing import Any

from numpy.typing import NDArray

class RecordBuffer:
    n_segments: int
    n_events: int
    n_entries: int
    end_freedom: int
    def arrays(self, end: float) -> dict[str, NDArray[Any]]: ...
