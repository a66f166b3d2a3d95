"""Unions of intervals: lists of pairs of numbers, in order, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Union", "intersection", "joined", "where_true"]

# Plain numbers: a union has a few intervals, for which arrays would cost far more.
Union = list[tuple[float, float]]


def joined(intervals: Iterable[tuple[float, float]]) -> Union:
    """Return intervals in order, those that touch or overlap as one; empty ones are left out."""
    found: Union = []
    for low, high in sorted(intervals):
        if not high > low:
            continue
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def intersection(one: Union, other: Union) -> Union:
    """Return what is in both unions."""
    found: Union = []
    i = j = 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if high > low:
            found.append((low, high))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def where_true(edges: Iterable[float], holds: Iterable[bool]) -> Union:
    """Return the pieces between edges, which may go down, on which something holds."""
    edges = list(edges)
    pieces = zip(edges[:-1], edges[1:], holds, strict=True)
    return joined((min(a, b), max(a, b)) for a, b, true in pieces if true)
