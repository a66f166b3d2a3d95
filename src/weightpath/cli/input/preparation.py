"""Raw columns as numbers for a model: one ColumnTransformer, saved together with the model.

Every step is scikit-learn's; the functions of this module, which say how one column is read, are
steps of its ``FunctionTransformer``. They take columns as a file has them, as texts or as numbers,
so that the model takes the frame that ``pandas.read_csv`` returns as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from weightpath.cli.input.date_text import dates, part_of
from weightpath.cli.input.features import DATE, NUMBER, TEXT, Feature, FeaturePlan
from weightpath.cli.input.number_text import feature_texts, read_numbers

__all__ = [
    "MODEL",
    "PREPARATION",
    "as_numbers",
    "as_texts",
    "as_times",
    "features_of",
    "known_texts",
    "make_model",
    "make_preparation",
    "make_scaler",
    "time_names",
]

# The steps of the pipeline.
PREPARATION, MODEL = "preparation", "model"

# Texts in fewer than this share of the rows, and those beyond so many, share one feature.
RARE = 0.01
MOST_TEXTS = 30

# What stands for a text that is missing.
GAP = "(missing)"


def as_numbers(X: Any, decimal: str) -> NDArray[np.float64]:
    """Return columns as numbers; what is none is missing, ``decimal`` is the mark of texts."""
    return np.column_stack([read_numbers(X[name], decimal)[0] for name in X.columns])


def as_texts(X: Any) -> NDArray[Any]:
    """Return columns as texts."""
    columns = (
        [GAP if word is None else word for word in feature_texts(X[name])] for name in X.columns
    )
    return np.array(list(columns), dtype=object).T


def as_times(
    X: Any, formats: dict[str, str | None], parts: dict[str, list[str]]
) -> NDArray[np.float64]:
    """Return columns of dates as numbers: days since 1970, months, weekdays, hours.

    Parameters
    ----------
    X : pandas.DataFrame
        The columns.
    formats : dict
        The format of the texts of each column.
    parts : dict
        The parts of each column that are features.
    """
    found = {name: dates(X[name], formats[name]) for name in X.columns}
    return np.column_stack(
        [part_of(found[name], part) for name in X.columns for part in parts[name]]
    )


def time_names(transformer: Any, names: Any) -> NDArray[Any]:
    """Return the names of the features that :func:`as_times` makes."""
    parts = transformer.kw_args["parts"]
    return np.array([f"{name}_{part}" for name in names for part in parts[name]], dtype=object)


def make_preparation(plan: FeaturePlan, scale: str) -> ColumnTransformer:
    """Return what prepares the rows of a table, not fitted.

    Parameters
    ----------
    plan : FeaturePlan
        What the columns are.
    scale : {"none", "standard", "minmax"}
        How numbers are scaled; texts become zeros and ones.
    """
    steps = []
    numbers, times, words = (plan.of_kind(kind) for kind in (NUMBER, DATE, TEXT))
    if numbers:
        reader = FunctionTransformer(
            as_numbers, feature_names_out="one-to-one", kw_args={"decimal": plan.decimal}
        )
        steps.append(("numbers", make_pipeline(reader, *_filled(scale)), _names(numbers)))
    if times:
        arguments = {
            "formats": {feature.name: feature.how for feature in times},
            "parts": {feature.name: list(feature.parts) for feature in times},
        }
        reader = FunctionTransformer(as_times, feature_names_out=time_names, kw_args=arguments)
        steps.append(("dates", make_pipeline(reader, *_filled(scale)), _names(times)))
    if words:
        reader = FunctionTransformer(as_texts, feature_names_out="one-to-one")
        encoder = OneHotEncoder(
            min_frequency=RARE,
            max_categories=MOST_TEXTS,
            handle_unknown="infrequent_if_exist",
            sparse_output=False,
        )
        steps.append(("texts", make_pipeline(reader, encoder), _names(words)))
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def make_model(preparation: Any, estimator: Any) -> Pipeline:
    """Return the pipeline of a preparation (or "passthrough") and an estimator, not fitted."""
    return Pipeline([(PREPARATION, preparation), (MODEL, estimator)])


def features_of(model: Pipeline) -> tuple[Feature, ...]:
    """Return the columns that a fitted model takes, in their order; none of svmlight rows."""
    preparation = model[PREPARATION]
    if not isinstance(preparation, ColumnTransformer):
        return ()
    found: dict[str, Feature] = {}
    for step, steps, names in preparation.transformers_:
        if step == "dates":
            given = steps[0].kw_args
            found |= {
                name: Feature(name, DATE, given["formats"][name], tuple(given["parts"][name]))
                for name in names
            }
        elif step in ("numbers", "texts"):
            kind = NUMBER if step == "numbers" else TEXT
            found |= {name: Feature(name, kind) for name in names}
    return tuple(found[name] for name in preparation.feature_names_in_)


def known_texts(model: Pipeline) -> dict[str, set[str]]:
    """Return the texts of each column of texts that a fitted model has been trained with."""
    preparation = model[PREPARATION]
    found: dict[str, set[str]] = {}
    for step, steps, names in getattr(preparation, "transformers_", ()):
        if step == "texts":
            found |= zip(names, map(set, steps[-1].categories_), strict=True)
    return found


def _names(features: list[Feature]) -> list[str]:
    return [feature.name for feature in features]


def _filled(scale: str) -> list[Any]:
    """Return what follows the reading of numbers: gaps are filled, and where they were is told."""
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return [imputer, *make_scaler(scale)]


def make_scaler(scale: str) -> list[Any]:
    """Return the scaler in a list, empty if there is none."""
    return {"none": [], "standard": [StandardScaler()], "minmax": [MinMaxScaler()]}[scale]
