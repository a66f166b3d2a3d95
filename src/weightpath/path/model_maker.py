"""What a path needs to make models, which itself knows no estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from weightpath.path.solution_path import SolutionPath

__all__ = ["ModelMaker"]


class ModelMaker(Protocol):
    """Makes the models on a path."""

    def model_from(self, path: SolutionPath, theta: float) -> Any:
        """Return a fitted estimator at ``theta``."""
