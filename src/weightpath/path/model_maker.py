"""What a path needs to make models, which itself knows no estimators."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["ModelMaker"]


class ModelMaker(Protocol):
    """Makes the models on a path."""

    def model_from(self, path: Any, theta: float) -> Any:
        """Return a fitted estimator at ``theta`` of a path."""
