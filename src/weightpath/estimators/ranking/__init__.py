"""Ranking: preferences between documents of one query."""

from weightpath.estimators.ranking.ranking_svm import RankingSVM

__all__ = ["RankingSVM"]
