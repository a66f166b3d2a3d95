from weightpath.engine._changes import Changes

class Drift(Changes):
    def finish(self) -> float: ...
