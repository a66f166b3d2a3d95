"""What the pictures of a path say, in the words of its problem."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Wording", "wording_of"]


@dataclass(frozen=True)
class Wording:
    """The words of one kind of problem.

    Parameters
    ----------
    coefficient : str
        What is drawn along theta.
    signed : bool
        Whether its sign is shown: that of a classifier only repeats the label.
    row : str
        What has a coefficient.
    rows : str
        All of them, in a table.
    margin : str
        Those whose coefficients are between their bounds.
    """

    coefficient: str = "coefficient  (units of $C$)"
    signed: bool = True
    row: str = "row"
    rows: str = "Training rows"
    margin: str = "rows on the margin"


WORDINGS = {
    "svc": Wording("|coefficient|  (units of $C$)", signed=False),
    "svr": Wording(margin="rows on the tube's edge"),
    "quantile": Wording(margin="rows met exactly"),
    "one-class": Wording("coefficient"),
    "ranking": Wording(
        signed=False, row="pair", rows="Pairs of documents", margin="pairs on the margin"
    ),
    "lasso": Wording("coefficient", row="feature", rows="Features", margin="features in use"),
}


def wording_of(path) -> Wording:
    """The words for a path.

    Parameters
    ----------
    path : SolutionPath
        Its first part tells the kind of problem.

    Returns
    -------
    Wording
        A general one for kinds that have none of their own.
    """
    return WORDINGS.get(path.parts[0].reading.kind, Wording())
