"""Metrics: one object each, with its name, its options and its exact curve along a path."""

# Importing a module of metrics makes those in it known.
from weightpath.metrics import classification, groups, ranking, ranking_at_k, regression
from weightpath.metrics.confusion import ConfusionMetric, of_confusion
from weightpath.metrics.losses import Hinge, HingeMetric
from weightpath.metrics.metric import Metric, Option
from weightpath.metrics.outputs import Outputs, outputs_of_path
from weightpath.metrics.registry import get, label_of, names, register, unregister
from weightpath.metrics.trace import trace_curve
from weightpath.metrics.validation import ValidationRows

__all__ = [
    "ConfusionMetric",
    "Hinge",
    "HingeMetric",
    "Metric",
    "Option",
    "Outputs",
    "ValidationRows",
    "classification",
    "get",
    "groups",
    "label_of",
    "names",
    "of_confusion",
    "outputs_of_path",
    "ranking",
    "ranking_at_k",
    "register",
    "regression",
    "trace_curve",
    "unregister",
]
