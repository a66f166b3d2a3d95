"""Run one problem through the library and compare what it says with what the judge says."""

from __future__ import annotations

import signal
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

import weightpath as wp
from campaign.judge import EPS, TOLERANCE, judge, scale_of
from campaign.problems import Problem, problem
from campaign.refusals import explain
from campaign.stairs import between

__all__ = ["Finding", "Report", "examine"]

# Path and model are one function: values may differ by this, relative, where rounding is far less.
SAME = 1e-7
SAME_FLOOR = 1e-9

# A certificate below this where the judge finds a wrong point is a false one.
CERTIFIED = 1e-8

# So many breakpoints, and middles of segments, are looked at.
LOOKED_AT = 15

SECONDS = 20.0

# Categories, the gravest first.
SEVERITY = (
    "exception",
    "false certificate",
    "wrong path",
    "wrong fit",
    "path and model differ",
    "refused without cause",
    "refused for another cause",
    "too slow",
)


class TooSlow(BaseException):
    """The time is over; not an Exception, so that no handler takes it for one."""


@dataclass(frozen=True)
class Finding:
    """Something wrong: of which category, by how much, and where."""

    category: str
    figure: float
    where: str


@dataclass(frozen=True)
class Report:
    """What came of one problem; ``cause`` says why it was refused, if it was rightly so."""

    seed: int
    estimator: str
    kernel: str
    findings: tuple[Finding, ...] = ()
    cause: str | None = None
    n_looked_at: int = 0

    @property
    def category(self) -> str:
        if self.findings:
            return self.findings[0].category
        return "right" if self.cause is None else f"refused: {self.cause}"


def examine(seed: int, seconds: float = SECONDS) -> Report:
    """Return the report of one problem."""
    case = problem(seed)
    try:
        with time_limit(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", category=RuntimeWarning, module="weightpath")
            findings, cause, count = Examination(case).run()
    except TooSlow:
        findings, cause, count = [Finding("too slow", seconds, "")], None, 0
    order = sorted(findings, key=lambda finding: SEVERITY.index(finding.category))
    return Report(seed, case.estimator, case.kernel, tuple(order), cause, count)


@contextmanager
def time_limit(seconds: float):
    """Raise ``TooSlow`` in the block when the time is over; only the main thread has a clock."""

    def ring(*_):
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


class Examination:
    """The steps of one problem: fit, move and, for some, move back."""

    def __init__(self, case: Problem):
        self.case = case
        self.findings: list[Finding] = []
        self.count = 0
        # Where on the way a refusal happened: the ends between which a reference is looked for.
        self.leg = (case.start, case.start)

    def run(self):
        """Return the findings, the cause of a rightful refusal, and how many points were judged."""
        case, cause = self.case, None
        try:
            self.travel()
        except (wp.PathError, ValueError) as error:
            cause, confirmed = explain(case, error, *self.leg)
            if not confirmed:
                kind = "refused for another cause" if cause else "refused without cause"
                self.note(kind, 0.0, f"{type(error).__name__}: {str(error)[:150]}")
                cause = None
        except Exception as error:
            self.note("exception", 0.0, f"{type(error).__name__}: {str(error)[:150]}")
        return self.findings, cause, self.count

    def note(self, category: str, figure: float, where: str) -> None:
        self.findings.append(Finding(category, float(figure), where))

    def travel(self) -> None:
        case = self.case
        model = getattr(wp, case.estimator)(**case.params)
        model.fit(**case.fit)
        if case.pairs is not None and not np.array_equal(case.pairs, model.pairs_):
            self.note("exception", 0.0, "pairs_ are not the pairs of the data")
            return
        self.judge_fit(model)
        if case.estimator == "Lasso":
            self.judge_first_path(model.path_)
        self.leg = (case.start, case.end)
        self.follow(model, case.move, case.start, case.end, "")
        if case.back:
            self.follow(model, case.back, case.end, case.start, "back, ")

    def judge_fit(self, model) -> None:
        verdict = judge(self.case.matrix, self.case.start, *solution_of(self.case, model))
        self.count += 1
        if verdict.wrong:
            self.note("wrong fit", verdict.distance, f"row {verdict.row}")

    def judge_first_path(self, path) -> None:
        """Judge the lasso's path from all-zero coefficients, whose penalties it tells itself."""
        for theta in places(path.theta, self.case.seed):
            point = path.at(theta)
            stairs = replace(self.case.start, levels=np.outer(point.weights, [-1.0, 1.0]))
            self.judge_point(path, theta, point, stairs, "fit, ")

    def judge_point(self, path, theta, point, stairs, name, **slack) -> None:
        """Judge one point of a path, and its certificate."""
        case = self.case
        beta, bias = np.ravel(point.dual_coef), float(np.ravel(point.intercept)[0])
        verdict = judge(case.matrix, stairs, beta, bias if stairs.has_bias else 0.0, **slack)
        self.count += 1
        if verdict.wrong:
            said = float(path.kkt_violation(theta))
            kind = "false certificate" if said < CERTIFIED else "wrong path"
            detail = f"{name}theta {theta!r}, row {verdict.row}, certificate {said:.1e}"
            self.note(kind, verdict.distance, detail)
        if case.estimator == "Lasso":
            off, allowed = case.matrix.intercept_error(stairs.mean, beta, bias)
            if off - allowed > TOLERANCE * stairs.largest:
                self.note("wrong path", off / stairs.largest, f"{name}intercept, theta {theta!r}")

    def follow(self, model, destination, start, end, name) -> None:
        """Move the model and look at its path."""
        first = values_of(self.case, model)
        path = travel_to(model, destination, self.case.seed)
        last = values_of(self.case, model)
        if path.theta[-1] != 1.0:
            self.note("wrong path", np.inf, f"{name}ends at theta {path.theta[-1]!r}")
            return
        thetas = places(path.theta, self.case.seed)
        values = path.decision_function(self.case.points, thetas)
        for theta, own in zip(thetas, values, strict=True):
            self.look(path, theta, np.ravel(own), between(start, end, theta), name, (start, end))
        for theta, model_values, what, stairs in (
            (0.0, first, "the model before", start),
            (1.0, last, "the model after", end),
        ):
            own = np.ravel(path.decision_function(self.case.points, theta))
            size, floor = value_floor(self.case, path.at(theta), own, stairs)
            self.compare(own, model_values, size, floor, f"{name}{what} at theta {theta}")

    def look(self, path, theta, own, stairs, name, ends) -> None:
        """Judge one point of a path, and compare it and the model there with the path's values."""
        case, point, slack = self.case, path.at(theta), {}
        if 0.0 < theta < 1.0:
            most = np.maximum(ends[0].bound, ends[1].bound)
            slack = {"most": most, "moved": movement(*ends)}
        self.judge_point(path, theta, point, stairs, name, **slack)
        beta, bias = np.ravel(point.dual_coef), float(np.ravel(point.intercept)[0])
        values = (case.values @ case.coefficients(beta) + bias).astype(np.float64)
        size, floor = value_floor(case, point, own, stairs)
        self.compare(own, values, size, floor, f"{name}at() at theta {theta!r}")
        values = values_of(case, path.model_at(theta))
        self.compare(own, values, size, floor, f"{name}model_at at theta {theta!r}")

    def compare(self, own, values, size, floor, where) -> None:
        """Compare other values with those of the path."""
        apart = float(np.max(np.abs(own - values)))
        if floor < SAME_FLOOR and not apart <= SAME * size:
            self.note("path and model differ", apart / size if size else np.inf, where)


def travel_to(model, destination, seed: int):
    """Move a model; weights that move alone go by ``reweight`` for every other seed."""
    (name, value), *others = destination.items()
    if name.endswith("_weight") and not others and seed % 2:
        return model.reweight(value)
    return model.move(**destination)


def places(theta, seed: int) -> list[float]:
    """Return the ends, some breakpoints and some middles of segments."""
    g = np.random.default_rng([seed, 7])
    inner = np.arange(1, len(theta) - 1)
    some = inner if len(inner) <= LOOKED_AT else g.choice(inner, LOOKED_AT, replace=False)
    segments = np.arange(len(theta) - 1)
    if len(segments) > LOOKED_AT:
        segments = g.choice(segments, LOOKED_AT, replace=False)
    middles = 0.5 * (theta[segments] + theta[segments + 1])
    return [float(t) for t in np.unique(np.r_[0.0, theta[some], middles, 1.0])]


def movement(start, end) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the knots, and the targets and levels, of each row move."""
    knots = np.abs(end.knots - start.knots).max(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        levels = np.where(end.levels == start.levels, 0.0, np.abs(end.levels - start.levels))
    other = np.abs(end.target - start.target) + levels.max(axis=1)
    return knots, other.astype(np.float64)


def value_floor(case, point, values, stairs) -> tuple[float, float]:
    """Return the size of values, in which differences are told, and their rounding, relative."""
    beta, bias = np.ravel(point.dual_coef), float(np.ravel(point.intercept)[0])
    coef = np.abs(case.coefficients(beta)).astype(np.float64)
    terms = np.abs(case.values).astype(np.float64) @ coef + abs(bias)
    scale = scale_of(case.matrix, stairs, beta)
    targets = stairs.largest if case.estimator == "Lasso" else scale
    size = max(float(np.max(np.abs(values), initial=0.0)), targets)
    rounding = 64 * EPS * float(np.max(terms, initial=0.0))
    # Whether the point itself is determined is a matter of the residuals' rounding.
    own = 64 * EPS * float(np.max(case.matrix.magnitude(beta), initial=0.0))
    relative = max(rounding / size if size else 0.0, own / scale if scale else 0.0)
    return size, relative


def values_of(case, model) -> np.ndarray:
    """Return the values of a model at the points of comparison."""
    plain = case.estimator in ("SVR", "QuantileSVR", "Lasso", "RankingSVM")
    values = model.predict(case.points) if plain else model.decision_function(case.points)
    return np.ravel(values)


def solution_of(case, model) -> tuple[np.ndarray, float]:
    """Return coefficients and bias of a fitted model, from its public attributes."""
    if case.estimator == "Lasso":
        return model.coef_, 0.0
    if case.estimator == "RankingSVM":
        return model.dual_coef_, 0.0
    beta = np.zeros(len(case.start))
    beta[model.support_] = np.ravel(model.dual_coef_)
    return beta, float(model.intercept_[0])
