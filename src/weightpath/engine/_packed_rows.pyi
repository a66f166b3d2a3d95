from typing import final

@final
class PackedRows: ...
