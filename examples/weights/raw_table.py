"""
From a raw table
================

A table with missing values, words and units goes through a pipeline. The path of the pipeline
takes raw rows, and its models are pipelines.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import weightpath as wp


def orders(n, seed):
    """Return made-up orders of a shop, and whether they came back."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "price": rng.lognormal(4, 0.6, n).round(2),
            "days": rng.integers(1, 15, n),
            "kind": rng.choice(["shoes", "shirts", "books"], n, p=[0.3, 0.4, 0.3]),
        }
    )
    score = 0.012 * table["price"] + 0.08 * table["days"] + 1.2 * (table["kind"] == "shoes")
    y = np.where(score + rng.logistic(0, 0.6, n) > 2.6, "returned", "kept")
    table.loc[rng.random(n) < 0.15, "days"] = np.nan
    return table, y


X, y = orders(300, seed=0)
X_val, y_val = orders(600, seed=1)
X.head()

# %%
prepare = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["price", "days"]),
        ("words", OneHotEncoder(), ["kind"]),
    ]
)
pipe = make_pipeline(prepare, wp.SVC(C=1.0)).fit(X, y)

# %%
# A returned order costs as much as its price. What if rows count by their price?

path = wp.reweight(pipe, X["price"].to_numpy() / X["price"].mean())
curve = path.curve(X_val, y_val, "zero_one", sample_weight=X_val["price"])
plain = path.curve(X_val, y_val, "zero_one")

ax = plt.figure().gca()
theta = np.linspace(0, 1, 1000)
ax.plot(theta, curve(theta), label="share of the price in wrong predictions")
ax.plot(theta, plain(theta), label="share of wrong predictions")
ax.set(xlabel="theta: from equal weights to weights by price", ylabel="error")
ax.legend()
print(f"share of the price: {curve(0):.4f} at equal weights, {curve.best.value:.4f} at best,")
print(f"for theta from {curve.best.interval[0]:.3f} to {curve.best.interval[1]:.3f}")

# %%
# Hardly any weighting by price is worth it here. The rows of high price are few, and if they count
# a lot, the others are learnt less well.

# %%
best = path.model_at(curve.best.theta)
raw = pd.DataFrame({"price": [20.0, 250.0], "days": [np.nan, 9], "kind": ["books", "shoes"]})
raw.assign(predicted=best.predict(raw))
