"""Weights worth moving to: forgetting, age, importance, unequal noise, relevance."""

from weightpath.weights.forgetting import forgetting
from weightpath.weights.half_life import half_life
from weightpath.weights.heteroscedastic import heteroscedastic
from weightpath.weights.importance import ImportanceFit, importance
from weightpath.weights.relevance import relevance

__all__ = [
    "ImportanceFit",
    "forgetting",
    "half_life",
    "heteroscedastic",
    "importance",
    "relevance",
]
