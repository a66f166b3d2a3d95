from typing import Any

import numpy as np
from numpy.typing import NDArray

def first_wrong(weight: NDArray[np.float64]) -> tuple[int, int]: ...
def are_all_positive(weight: NDArray[np.float64]) -> bool: ...
def changed_weights(
    now: NDArray[np.float64],
    row: NDArray[np.intp],
    change: NDArray[np.float64],
    rounding: float,
) -> tuple[NDArray[np.float64], bool]: ...
def changed_entries(
    given: NDArray[np.float64], factor: NDArray[np.float64], now: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], bool, bool]: ...
def class_products(
    C: float,
    factor: NDArray[np.float64],
    label: NDArray[Any],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def class_totals(
    label: NDArray[Any], weight: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]: ...
def are_all_weighted(label: NDArray[Any], weight: NDArray[np.float64], n_classes: int) -> bool: ...
def signs_of(label: NDArray[Any], rows: NDArray[np.intp], positive: int) -> NDArray[np.float64]: ...
def with_new_rows(
    beta: NDArray[np.float64],
    position: NDArray[np.integer[Any]],
    residual: NDArray[np.float64],
    target: NDArray[np.float64],
    value: NDArray[np.float64],
    bias: float,
    first: int,
    last: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]: ...
def renumbered(rows: NDArray[np.intp], n_gone: int) -> NDArray[np.intp] | None: ...
def slid_hinges(
    label: NDArray[np.intp],
    arriving: NDArray[np.intp],
    margin: NDArray[np.float64],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    C: float,
    factor: NDArray[np.float64],
    drop: int,
) -> tuple[
    NDArray[np.intp],
    NDArray[np.float64],
    NDArray[np.float64],
    tuple[float, float, float],
    bool,
]: ...
