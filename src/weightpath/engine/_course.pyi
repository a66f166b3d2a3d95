from typing import final

@final
class Course: ...
