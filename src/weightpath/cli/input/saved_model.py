"""Models with their preparation in files of skops: no pickle, and only types that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weightpath.cli.errors import InputError
from weightpath.skops_files import UntrustedTypesError, dump_object, load_object

__all__ = ["TRUSTED", "load_model", "need_skops", "save_model"]

# What the estimators consist of; transformers have types that are trusted everywhere. A file that
# names any other is not loaded.
TRUSTED = (
    "scipy.sparse._csr.csr_matrix",
    "weightpath.estimators.classification.HingeProblem",
    "weightpath.estimators.one_class.OneClassProblem",
    "weightpath.estimators.one_class_svm.OneClassSVM",
    "weightpath.estimators.problem.Fitted",
    "weightpath.estimators.quantile_svr.QuantileSVR",
    "weightpath.estimators.ranking.problem.RankingProblem",
    "weightpath.estimators.ranking.ranking_svm.RankingSVM",
    "weightpath.estimators.regression.PinballProblem",
    "weightpath.estimators.regression.TubeProblem",
    "weightpath.estimators.subproblem.Subproblem",
    "weightpath.estimators.svc.SVC",
    "weightpath.estimators.svr.SVR",
    "weightpath.estimators.training_set.TrainingSet",
    "weightpath.kernels.kernel.Kernel",
    "weightpath.path.reading.Reading",
    "weightpath.problems.pairs.PreferencePairs",
    "weightpath.problems.staircase.Staircase",
    "weightpath.record.state.State",
)


def need_skops() -> None:
    """Load skops, or say how to get it."""
    try:
        import skops.io  # noqa: F401
    except ImportError:
        raise InputError(
            "Models are kept in files of skops, which is not installed: pip install "
            "'weightpath[cli]' brings it."
        ) from None


def save_model(file: Path, model: Any) -> None:
    """Write a fitted pipeline."""
    file.write_bytes(dump_object(model))


def load_model(file: Path) -> Any:
    """Read a fitted pipeline; a file with unknown types is refused before any of it is made."""
    need_skops()
    if file.is_dir() and (file / "model.skops").is_file():
        file = file / "model.skops"
    if not file.is_file():
        what = "is a folder without a model.skops" if file.is_dir() else "is not there"
        raise InputError(
            f"{file} {what}. Name the model.skops that weightpath trace or select has written."
        )
    try:
        model = load_object(file.read_bytes(), TRUSTED)
    except UntrustedTypesError as error:
        raise InputError(
            f"{file} asks for {', '.join(error.types[:3])}, which no model of weightpath consists "
            "of; it was not loaded."
        ) from error
    except (ValueError, OSError) as error:
        raise InputError(_foreign(file, str(error))) from error
    from sklearn.pipeline import Pipeline

    from weightpath.cli.input.preparation import MODEL, PREPARATION

    if not isinstance(model, Pipeline) or list(model.named_steps) != [PREPARATION, MODEL]:
        raise InputError(_foreign(file, f"it holds a {type(model).__name__}"))
    return model


def _foreign(file: Path, reason: str) -> str:
    return (
        f"{file} is not a model that weightpath trace or select has written, or it is damaged: "
        f"{reason}."
    )
