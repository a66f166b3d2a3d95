"""The artificial data of the paper's section 4.1: four Gaussian groups in the plane."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch, check_random_state

__all__ = ["make_toy"]

# Class, cost of misclassification, mean and variances of each group, a quarter of the rows each.
GROUPS = (
    (+1, 1, (1.0, 0.0), (1.0, 0.5)),
    (+1, 2, (0.0, 0.0), (0.5, 0.5)),
    (-1, 1, (0.0, 1.0), (1.0, 0.5)),
    (-1, 2, (1.0, 1.0), (0.5, 0.5)),
)

C = 10.0
WIDTH = 1.0


def make_toy(
    n: int = 400,
    random_state: int | np.random.RandomState | None = None,
    *,
    like: Bunch | None = None,
) -> Bunch:
    r"""Two classes in the plane, half of whose rows cost twice as much to misclassify.

    ====== ====== ============ ================
    class  cost   mean         variances
    ====== ====== ============ ================
    +1     1      (1, 0)       (1, 0.5)
    +1     2      (0, 0)       (0.5, 0.5)
    -1     1      (0, 1)       (1, 0.5)
    -1     2      (1, 1)       (0.5, 0.5)
    ====== ====== ============ ================

    Every group has n / 4 rows, one group after the other in this order, and the whole is scaled
    to the unit square. The paper moves the weights of the rows of cost 1 from 0 to 10 and keeps
    those of cost 2 at 10.

    Parameters
    ----------
    n : int
        Number of rows, a multiple of 4.
    random_state : int, RandomState instance or None
        Determines the rows.
    like : Bunch, optional
        Data made before. The new rows, for validation, are scaled as these are, so that both
        lie in the same space; they may then leave the unit square.

    Returns
    -------
    Bunch
        With the attributes

        - ``X`` (n, 2), ``y`` (n,) of +1 and -1, ``cost`` (n,) of 1 and 2;
        - ``C_old``, ``C_new`` (n,): the :math:`C_i` at the start and the end of the paper's path;
        - ``C``, 10, and ``w_old``, ``w_new`` (n,): the same as sample weights,
          :math:`C_i = C w_i`;
        - ``gamma``, 0.5: the paper's kernel :math:`\exp(-\frac{\gamma}{p} \|x - x'\|^2)` with its
          :math:`\gamma = 1` and :math:`p = 2` in scikit-learn's meaning;
        - ``lowest``, ``scale`` (2,): :math:`X = (\text{drawn} - \text{lowest}) / \text{scale}`.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama and I. Takeuchi. Multi-parametric solution-path
       algorithm for instance-weighted support vector machines. Machine Learning 88, 2012.

    Examples
    --------
    >>> from weightpath.datasets import make_toy
    >>> train = make_toy(400, random_state=0)
    >>> train.X.shape, train.X.min().item(), train.X.max().item()
    ((400, 2), 0.0, 1.0)
    >>> validation = make_toy(1000, random_state=1, like=train)
    """
    if n < 4 or n % 4:
        raise ValueError(f"n must be a positive multiple of 4, one quarter per group; got {n}.")
    rng = check_random_state(random_state)
    drawn = np.concatenate(
        [rng.normal(mean, np.sqrt(variance), (n // 4, 2)) for _, _, mean, variance in GROUPS]
    )
    lowest = drawn.min(axis=0) if like is None else like.lowest
    scale = np.ptp(drawn, axis=0) if like is None else like.scale
    cost = np.repeat([group[1] for group in GROUPS], n // 4)
    w_old = np.where(cost == 2, 1.0, 0.0)
    w_new = np.ones(n)
    return Bunch(
        X=(drawn - lowest) / scale,
        y=np.repeat([group[0] for group in GROUPS], n // 4),
        cost=cost,
        C=C,
        w_old=w_old,
        w_new=w_new,
        C_old=C * w_old,
        C_new=C * w_new,
        gamma=WIDTH / drawn.shape[1],
        lowest=lowest,
        scale=scale,
    )
