from typing import final

@final
class Guard:
    max_events: int
    zero_limit: int
    refresh_every: int
    full_every: int
    @property
    def suspect(self) -> int: ...
    def __init__(self, n_rows: int, length: int) -> None: ...
