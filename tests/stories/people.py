"""Data of people with tables: raw frames with missing values, texts and strange units."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NOTES = ["first class cabin", "steerage", "crew cabin", "late ticket", "family ticket"]


def passengers(n, seed=0):
    """A table like that of the Titanic: numbers, categories, texts, missing values, an index."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(35, 14, n).clip(1, 80).round(),
            "fare": rng.exponential(30, n),
            "sex": rng.choice(["female", "male"], n),
            "port": rng.choice(["Cherbourg", "Queenstown", "Southampton"], n, p=[0.2, 0.1, 0.7]),
            "note": rng.choice(NOTES, n),
        },
        index=[f"passenger {k}" for k in rng.permutation(n)],
    )
    chance = 1.6 * (table["sex"] == "female") + 0.02 * table["fare"] - 0.02 * table["age"]
    alive = np.where(chance + rng.normal(0, 0.7, n) > 0.5, "survived", "died")
    table.loc[rng.random(n) < 0.2, "age"] = np.nan
    table.loc[rng.random(n) < 0.1, "port"] = None
    return table, pd.Series(alive, index=table.index)


def preparation():
    """Transformers of such a table."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include=np.number)),
            ("words", words, ["sex", "port"]),
            ("note", TfidfVectorizer(), "note"),
        ]
    )


def weights(n, seed=1):
    """Weights to go to, some of them zero."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 3.0, n))
