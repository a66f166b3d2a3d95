from typing import final

from weightpath.engine._factor import Factor

@final
class KeptMargin: ...

@final
class Margin:
    @property
    def factor(self) -> Factor: ...
    @property
    def ridge(self) -> float: ...
    @property
    def scale(self) -> float: ...
    @property
    def members(self) -> list[int]: ...
