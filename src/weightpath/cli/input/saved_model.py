"""Models with their preparation in files of skops: no pickle, and only types that are known."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from weightpath.cli.errors import InputError

__all__ = ["TRUSTED", "load_model", "need_skops", "save_model"]

# All types, besides those of scikit-learn and NumPy that skops knows, that a model of the command line
# consists of. A file that names any other is not loaded.
TRUSTED = (
    "numpy.dtype",
    "scipy.sparse._csr.csr_matrix",
    "weightpath.cli.input.preparation.as_numbers",
    "weightpath.cli.input.preparation.as_texts",
    "weightpath.cli.input.preparation.as_times",
    "weightpath.cli.input.preparation.time_names",
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


def need_skops() -> Any:
    """Return the module of skops that reads and writes files, or say how to get it."""
    try:
        import skops.io
    except ImportError:
        raise InputError(
            "Models are kept in files of skops, which is not installed: pip install "
            "'weightpath[cli]' brings it."
        ) from None
    return skops.io


def save_model(file: Path, model: Any) -> None:
    """Write a fitted pipeline."""
    need_skops().dump(model, file)


def load_model(file: Path) -> Any:
    """Read a fitted pipeline; a file with unknown types is refused before any of it is made."""
    skops_io = need_skops()
    if file.is_dir() and (file / "model.skops").is_file():
        file = file / "model.skops"
    if not file.is_file():
        what = "is a folder without a model.skops" if file.is_dir() else "is not there"
        raise InputError(
            f"{file} {what}. Name the model.skops that weightpath trace or select has written."
        )
    if not zipfile.is_zipfile(file):
        raise InputError(_foreign(file, "it is no archive of skops"))
    try:
        unknown = sorted(set(skops_io.get_untrusted_types(file=file)) - set(TRUSTED))
    except Exception as error:
        raise InputError(_foreign(file, f"{type(error).__name__}: {error}")) from error
    if unknown:
        raise InputError(
            f"{file} asks for {unknown[0]}"
            f"{f' and {len(unknown) - 1} more' if unknown[1:] else ''}, which no model of weightpath "
            "consists of; it was not loaded."
        )
    try:
        model = skops_io.load(file, trusted=list(TRUSTED))
    except Exception as error:
        raise InputError(_foreign(file, f"{type(error).__name__}: {error}")) from error
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
