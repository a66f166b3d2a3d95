"""Weights worth moving to: forgetting, importance, unequal noise, relevance."""

from weightpath.weights.forgetting import forgetting
from weightpath.weights.heteroscedastic import heteroscedastic
from weightpath.weights.importance import ImportanceFit, importance
from weightpath.weights.relevance import relevance

__all__ = ["ImportanceFit", "forgetting", "heteroscedastic", "importance", "relevance"]
