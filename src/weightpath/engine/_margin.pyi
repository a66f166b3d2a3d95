from typing import final

@final
class Margin:
    @property
    def ridge(self) -> float: ...
    @property
    def scale(self) -> float: ...
    @property
    def members(self) -> list[int]: ...
