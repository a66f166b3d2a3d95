from typing import final

@final
class Landmarks: ...
