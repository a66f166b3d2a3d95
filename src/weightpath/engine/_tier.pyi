from typing import final

@final
class Tier:
    def __init__(self, n: int, p: int, has_all: bool) -> None: ...
