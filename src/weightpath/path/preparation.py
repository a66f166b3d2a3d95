"""What happens to raw rows before a path sees them: the fitted transformers of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from weightpath.skops_files import dump_object, load_object

__all__ = ["Preparation", "last_step"]

# What stands for the estimator in the pipeline of a preparation, and for a step that does nothing.
NOTHING = "passthrough"


def last_step(model: Any) -> Any:
    """Return the estimator at the end of a pipeline, of one in it, and so on; else the model."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


@dataclass(frozen=True, eq=False)
class Preparation:
    """The fitted transformers of a scikit-learn pipeline, which stay as they are.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted pipeline with ``"passthrough"`` in place of its last estimator, which may be at the
        end of a pipeline in it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from weightpath import SVC
    >>> from weightpath.path import Preparation
    >>> X, y = np.array([[1.0], [2.0], [3.0], [6.0]]), [0, 0, 1, 1]
    >>> preparation = Preparation.of(make_pipeline(StandardScaler(), SVC()).fit(X, y))
    >>> preparation.rows([[3.0]]).tolist()
    [[0.0]]
    """

    pipeline: Pipeline

    @classmethod
    def of(cls, pipeline: Pipeline) -> Preparation:
        """Return the preparation of a fitted pipeline; its transformers are copied."""
        return cls(_with_last(pipeline, NOTHING))

    def __repr__(self) -> str:
        names = [type(step).__name__ for step in self.transformers]
        return f"<Preparation: {' -> '.join(names) or 'nothing'}>"

    @property
    def transformers(self) -> list[Any]:
        """The fitted transformers, one after the other."""
        # A step that only resamples training rows leaves new ones as they are.
        return [step for step in _steps(self.pipeline) if hasattr(step, "transform")]

    @property
    def feature_names_in_(self) -> NDArray[Any] | None:
        """The names of the raw columns; ``None`` where they had none, or nothing is done."""
        for step in self.transformers[:1]:
            names = getattr(step, "feature_names_in_", None)
            return None if names is None else np.asarray(names)
        return None

    def rows(self, X: Any) -> Any:
        """Return raw rows as the last step of the pipeline takes them."""
        for step in self.transformers:
            X = step.transform(X)
        return X

    def to_bytes(self) -> bytes:
        """Return the preparation as bytes, by skops; a cache belongs to a machine and is left."""
        return dump_object(_without_cache(self.pipeline))

    @classmethod
    def from_bytes(cls, data: bytes, trusted: Sequence[str] = ()) -> Preparation:
        """Return what :meth:`to_bytes` has written; ``trusted`` are names of further types."""
        pipeline = load_object(data, trusted)
        if not _is_preparation(pipeline):
            raise ValueError("the transformers are no pipeline")
        return cls(pipeline)

    def pipeline_of(self, model: Any) -> Pipeline:
        """Return a fitted pipeline like that of the preparation with a model at its end."""
        return _with_last(self.pipeline, model)


def _steps(pipeline: Pipeline) -> Iterator[Any]:
    """Yield all steps, those of pipelines in it too; the last estimator is ``NOTHING``."""
    for _, step in pipeline.steps:
        if isinstance(step, Pipeline):
            yield from _steps(step)
        else:
            yield step


def _is_preparation(found: Any) -> bool:
    """Whether what a file holds is a pipeline of estimators with nothing at its end."""
    try:
        last = last_step(found)
        steps = list(_steps(found))
    except (AttributeError, IndexError, TypeError, ValueError):
        return False
    plain = all(isinstance(step, BaseEstimator) or step in (None, NOTHING) for step in steps)
    return isinstance(last, str) and last == NOTHING and plain


def _without_cache(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline that caches nothing; transformers are shared."""
    made = copy(pipeline)
    made.memory = None
    name, last = pipeline.steps[-1]
    if isinstance(last, Pipeline):
        made.steps = [*pipeline.steps[:-1], (name, _without_cache(last))]
    return made


def _with_last(pipeline: Pipeline, model: Any) -> Pipeline:
    """Return a copy of a pipeline with another estimator at its end.

    Transformers are copied, because a pipeline that is fitted again fits its own in place.
    """
    made = copy(pipeline)
    *steps, (name, last) = pipeline.steps
    if isinstance(last, Pipeline):
        model = _with_last(last, model)
    made.steps = [*((own, deepcopy(step)) for own, step in steps), (name, model)]
    return made
