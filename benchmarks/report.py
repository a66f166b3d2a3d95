"""From tables, lists of rows, to Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path

NOTES = {
    "speed": """\
Artificial data of the paper's section 4.1; half of the weights go from 0 to 10. Times are medians
of runs in turns, in one thread, of the processor (on an idle machine, those of the clock). *path*:
`model.reweight(w_new)` on a model that was just fitted. *engine alone*: the native part of it.
*cold cache*: the path computes all its kernel columns. *one SVC fit*: `sklearn.svm.SVC.fit` at the
new weights, same kernel and cache. *SVC at every breakpoint*: the mean time of the refits that were
measured, at breakpoints evenly among all of them, times the number of breakpoints; where "refits
measured" is less than "breakpoints" it is scaled up.""",
    "accuracy": """\
One judge for both, from the data alone: the largest violation of an optimality condition (the
natural residual) over the places judged (the breakpoints that were refitted and, for the path,
some middles of segments), and the primal objective at the new weights.""",
    "qpOASES": """\
The same path by qpOASES through CasADi, dense. *warm* follows its own homotopy from the first to
the last weights and reports the end only; *cold* solves at breakpoints from scratch, scaled up
from the sample.""",
    "small-changes": """\
The data of "speed", all rows with C = 10. *one weight*: `model.reweight` that halves the weight of
one row, at random among those with a coefficient, and back, which is not timed. *addition*:
`model.add` of one new row, ten in a row after a fit. *one SVC fit*: `sklearn.svm.SVC.fit` of the
same data, same kernel and cache. In turns: ten changes of each kind, one fit; medians of the time
of the processor.""",
    "batch": """\
`follow_many` of many paths from one model of the data of "speed"; on each, one weight goes to a
random one between none and twice its own. *us each*: the time of the processor, all that the
call does divided by the number of paths, with one thread and, of both together, with two. *clock*:
elapsed time, with one thread and with two in turns; on a busy machine it says little.""",
    "c-path": """\
One C for all rows goes from 0.001 to 10, `model.move(C=10)` on a model that was just fitted at
0.001; beside it `sklearn.svm.SVC.fit` at C = 10, same kernel and cache. The data of "speed". The
violation is the largest over the whole path, by its certificate.""",
    "ordinary": """\
Margins of hundreds of rows. *classification*: `make_classification(5000, 20, n_informative=8,
flip_y=0.1)`. *Friedman*: `make_friedman1(4000, noise=1)`. Kernel, cache and all parameters that
are not named are the defaults. After a fit of the library, all weights go from one to others,
uniform between 0.5 and 1.5: *path*, `model.reweight(w)`. *scikit-learn fit*: from scratch at
the new weights. *mean margin*: over the segments. The violation is the largest over the whole
path, by its certificate.""",
    "further": """\
As "ordinary", without a bar. Features are standardised, but for digits. *wine* and *digits* have 3
and 10 classes, hence 3 and 45 paths: events are those of all, the margin is theirs together.
*spambase* is measured where `WEIGHTPATH_DATA` names the folder that holds its files.
*California-like*: 5,000 artificial rows with 8 skewed features, interactions, a ceiling and
heavy-tailed noise, `california_like` in `benchmarks/ordinary_data.py`.""",
    "large-margins": """\
`SVR(epsilon=0.01)` on `make_friedman1(2000, noise=1)`: C goes up until almost every row is on the
margin, `model.move(C=1000)`. *no events*: after it, `model.reweight` of all weights, so little that
there is no event. The first violation is the largest over the whole path, by its certificate.""",
    "regression": """\
The diabetes data of scikit-learn, 442 rows, standardised, targets as they are; C = 10, epsilon = 5,
Gaussian kernel with gamma = 0.1. Log-normal weights go to other log-normal weights. Columns as in
"speed"; *fit* is `weightpath.SVR.fit` at the first weights. Violations are the natural residual
over the largest target, by one judge for both.""",
    "lasso": """\
Normal columns, a fifth of them with a coefficient; of the copied ones each has one twin. From the
penalty at which all coefficients vanish down to a thousandth of it: `weightpath.Lasso.fit`, which
keeps the path, and `sklearn.linear_model.lars_path`. The violation is the largest over all
breakpoints that a solver reports, as part of the largest penalty.""",
    "linear-programs": """\
Normal features, the class or the target a noisy sum of two of them; kernel columns with gamma =
0.5. All weights go from one to others, uniform between 0 and 2: *path*, `model.path_to`. *HiGHS at
every breakpoint*: the primal program in highspy, its costs changed and solved again from the last
basis (primal simplex, no presolve, one thread) at all breakpoints, which it is told; only `run` and
the change of the costs are timed. *fit*: ours, which begins with sets that HiGHS in SciPy finds.
*one HiGHS fit*: the first of its solutions. Objectives are compared at all breakpoints, relative;
the violation is the largest over the whole path, by its certificate.""",
    "fits": """\
A first exact solution, `fit`, beside scikit-learn's approximate one at its default tolerance, with
the same parameters and cache; medians of runs in turns, the time of the processor. *artificial*:
the data of "speed" at the new weights. *two Gaussians*: overlapping classes, gamma = 0.1. Digits
and diabetes with default parameters. *classification* and *Friedman*: the data of "ordinary".
*linear*: C = 0.01, beside LIBLINEAR, which penalises the bias.""",
    "additions": """\
One row at a time joins a fitted model along its exact path, `model.add`; medians. Beside it, fits
of the enlarged data from scratch. SVC: the data of "speed"; SVR: Friedman's first function, 10
features, noise of one. Gaussian kernels.""",
    "online": """\
`OnlineSVC(window=1000)` with its defaults, forgetting too, on `make_classification` with 20
features, 8 of them informative. *arrival*: one call of `partial_fit`, after which all weights
have moved. *scikit-learn refit*: `sklearn.svm.SVC.fit` of the same window with the same weights
and gamma. Medians of arrivals and refits in turns: so many arrivals *in a row*, then one refit,
which leaves nothing of the model in the processor's caches. *path*: by default the end of the way
is found, and verified, without the way, which is followed when `path_` is *read*; with
`follow_paths=True` it is *followed* at once. The bars are for the default.""",
    "slides": """\
The model and the stream of "online", one row at a time, in a process of its own. Resident memory in
1e6 bytes, read after every tenth slide: it goes up and down by the size of a buffer, hence the
*least* of an early and of the last fifth of the slides are compared.""",
    "readings": """\
The path of "speed". *model_at*: `path.model_at(theta)` at random places, until its support vectors,
coefficients and intercept were read; *first*, on a path of which nothing was read before. *building
an estimator*: `path.at(theta)`, and a clone of `sklearn.svm.SVC` whose same four attributes are set
from it, support vectors copied. *certificate*: `path.kkt_violation()` of a path that was just
followed, over all breakpoints and middles of segments, from the data alone.""",
    "influence": """\
Leave-one-out of `weightpath.SVC` on the breast cancer data, standardised, C = 1, in one thread:
`leave_one_out(model)` against `sklearn.svm.SVC.fit`, medians of runs in turns. *paths*: instances
with a coefficient; the others cost nothing. The decision values are compared with those of fits
without each instance: exact ones of `weightpath.SVC`, and those of scikit-learn at `tol=1e-6`.""",
    "influence-regression": """\
Leave-one-out of `weightpath.SVR` on the diabetes data, standardised, 442 rows, in one thread;
Gaussian kernel with the default gamma. Predictions are compared with those of `weightpath.SVR`
fitted without the instance, for some of them.""",
    "data-values": """\
`weightpath.data_shapley` and `data_banzhaf` of the rows of the toy data, by the accuracy at as many
new rows, in one thread, time of the processor. *us an addition*: all of it, the metric included,
over the exact models along all permutations. *SVC refits*: `sklearn.svm.SVC.fit` and `predict` for
each of them, measured along four permutations and scaled up. *largest difference of a worth*: of
the accuracy of any of these models from that of a fit of `weightpath.SVC` from nothing.""",
    "selective": """\
`weightpath.Lasso.fit` and `inference.selective` (p-values and 95 % intervals of all selected
features) beside `parametric_lasso_si` of parametric-si, the code of the method's authors, on the
same problems in turns, in one thread; without an intercept, sigma = 1. *unanswered*: problems on
which parametric-si raises an error; their time does not count. p-values are compared where the
estimate is within five standard deviations: beyond, the sums of distribution functions of
parametric-si lose their digits.""",
    "selective-null": """\
One p-value of each of many problems without any signal, 30 rows and 6 features: uniform, as the
Kolmogorov-Smirnov test sees it.""",
    "conformal": """\
Conformal prediction at alpha = 0.1, in one thread. *conditional cutoffs*:
`ConditionalConformal.cutoff`; *full conformal*: `FullConformal.predict_set`, five features;
*jackknife+*: `JackknifePlus`, its fit included, on the diabetes data. *one refit*: of the same
model with one row more, or less, in turns; a grid of targets takes one for each. *wrong*: of
cutoffs and intervals the largest difference from those of refits; of sets the number of refits,
with labels beside the ends of the intervals, that contradict them.""",
    "gradients": """\
`model.gradient(X, cotangent)` for 100 new rows and random cotangents: derivatives by the weights of
all rows, C and margins (targets, half-widths), after a fit with random weights, in one thread and
in turns. Beside it the decision values of the same rows, and fits. *largest difference*: from
central differences of exact fits for some weights, relative to the largest derivative.""",
    "gradients-layer": """\
A fit and its gradient by the weights, against the layer of cvxpylayers for PyTorch on the primal
problem, which solves and differentiates; its setting up is not counted. *kernel matrix*: with the
solver and the settings that the layer has by itself, whose solution may be too rough for its
derivatives; *Clarabel*: with an interior-point solver; *features*: in a root of the kernel matrix
without directions of rounding, of which the toy data need about 20.""",
    "curves": """\
The data of "speed" with new rows to validate on: the exact curve of each metric over the whole
path, kernel values of the new rows included, beside the path itself.""",
    "example": """\
The paper's figure of the validation error: 400 training rows, 1,000 validation rows, the weight C1
of the rows of cost 1 from 0 to 10, cost-weighted error. The paper found its lowest error near
C1 = 4 for its sample; here ten samples.""",
    "regions": """\
`weightpath.region_map` of the plane of the two class costs, each from 1 to 10, on the data of
"speed" with C = 1: all regions, in the time of the processor, one thread. *a fit for each region*:
the median time of `weightpath.SVC.fit` at 20 points, times the regions. *uncovered*: how much the
areas of all polygons differ from that of the plane. *ranges of weights*:
`weightpath.weight_ranges`, beside two paths for each instance, on which its weight falls to zero
and doubles.""",
    "memory": """\
Two overlapping Gaussian classes in 5 dimensions, C = 1, `cache_size=100`; fit and path in
processes of their own. Peaks are above the memory after imports and data, MB are 1e6 bytes. `fit`
keeps its kernel columns in the same cache as the path.""",
    "caches": """\
The data and the path of "speed", `fit` and `model.reweight`, with caches of several sizes in turns;
medians of the time of the processor. *best smaller*: the least time among the smaller caches of the
same rows, so that above 1 the larger cache is slower.""",
    "large-toy": """\
The data and the path of "speed" with very many rows, beside one fit of `sklearn.svm.SVC` at the new
weights with a cache of the same size. Time of the processor, each timed once.""",
    "scale": """\
Many rows, each line in a process of its own. *Nystroem*: 8 features, the label the sign of a
product of two of them plus noise, 200 features of `Nystroem(gamma=0.1)`, C = 0.05, linear.
*million*: 100 normal features in single precision, C = 1000 / n, linear; *mapped*: the same with 50
features, in a file that is mapped into memory. *text*: 74 words a row by Zipf's law, TF-IDF, 20,000
or (*wide*) 100,000 features, sparse, C = 1, linear. *Gaussian*: `make_classification` with 20
features, 8 of them informative, C = 1, `cache_size=1000`. *rival*:
`LinearSVC(loss="hinge")` at the same C, for the last line `sklearn.svm.SVC`. *1 % reweighted*: a
hundredth of the weights from 1 to 1.5. *rows touched*: those that an event of that path looks at,
in the mean, looks at all rows counted. *one row removed*: `model.remove` of a row with a
coefficient, median of five. *violation*: the larger of those after the reweighting and at the end,
from the data. Times are of the processor; *peak* is that of the process, with the data, their
making and all libraries.""",
    "end-to-end": """\
Fit, reweight, curve and search with pipelines, each line in a process of its own. *spambase*:
standardised, Gaussian kernel, C = 1; where the data are not found, rows of the same kind.
*covtype-like*: ten measurements in their own units and 44 columns of zeros and ones, standardised,
linear, C = 0.01. *text-like*: 74 words a row out of 100,000, TF-IDF, sparse, linear, C = 1. A
quarter of the rows is held out. *reweight*: all weights move to others between 0.8 and 1.2.
*curve*: the zero-one error of the held-out rows along that path, and its least value. *search*:
`PathSearchCV` over the same weights with three folds. *violation*: the largest of the fit and of
both ends of the path, from the data. Times are of the processor; *peak* is that of the
process.""",
    "growth": """\
*linear*: 50 normal features in single precision, C = 1000 / n; the weights of 2,000 rows move to
others. *Gaussian*: the toy data, of which 2,000 weights move as on the path of the paper; the first
product with the kernel matrix is counted. *none asleep*: the same path where every event looks at
all rows, with a linear kernel by columns as long as there are rows. Times of the processor.""",
    "cluster": """\
`leave_one_out` of rows with a coefficient on a Dask cluster of this machine,
`make_classification(5000, 20, n_informative=8, flip_y=0.1)`, C = 2, Gaussian kernel. Workers are
processes with one thread each. *serial*: without a cluster. *busiest worker*: the processor time of
the worker that had most to do; on a machine with a processor for each worker and nothing else to
do, the clock says the same. The decision values must not differ in a single bit.""",
    "bars": "What is asked of the library, and what this run measured.",
}


def write(out: Path, facts: dict[str, str], tables: dict[str, list[dict]]) -> str:
    """Write all files into ``out``; return the page in Markdown."""
    out.mkdir(parents=True, exist_ok=True)
    text = markdown(facts, tables)
    (out / "results.md").write_text(text, encoding="utf-8")
    everything = {"machine": facts, **tables}
    (out / "results.json").write_text(json.dumps(everything, indent=2), encoding="utf-8")
    for name, rows in tables.items():
        if not rows:
            continue
        with (out / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return text


def markdown(facts: dict[str, str], tables: dict[str, list[dict]]) -> str:
    lines = ["# Benchmarks", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    for name, rows in tables.items():
        if rows:
            lines += ["", f"## {name}", "", NOTES[name], "", *grid(rows)]
    return "\n".join(lines) + "\n"


def grid(rows: list[dict]) -> list[str]:
    names = list(rows[0])
    right = [not isinstance(rows[0][name], str) for name in names]
    lines = [
        "| " + " | ".join(names) + " |",
        "|" + "|".join("---:" if number else "---" for number in right) + "|",
    ]
    return lines + [
        "| " + " | ".join(_cell(name, row[name]) for name in names) + " |" for row in rows
    ]


def _cell(name: str, value) -> str:
    if not isinstance(value, float):
        return str(value)
    if "violation" in name or "difference" in name:
        return f"{value:.1e}"
    if "objective" in name:
        return f"{value:.9g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
