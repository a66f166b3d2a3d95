"""Uses that scikit-learn has for a support vector machine; each returns what comes out.

A use is a function of the classes to use, a classifier and a regressor: those of this library or
those of scikit-learn. Its docstring is its line in the table of ``docs/scikit-learn.md``.
"""

import numpy as np
import pandas as pd
import sklearn
from sklearn import (
    calibration,
    compose,
    ensemble,
    feature_selection,
    inspection,
    metrics,
    multiclass,
    multioutput,
    pipeline,
    semi_supervised,
)
from sklearn import model_selection as selection
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, RANSACRegressor, Ridge
from sklearn.preprocessing import OneHotEncoder, StandardScaler

USES = {}


def use(name):
    """Make a use known by the name that it has in the table."""

    def decorate(function):
        USES[name] = function
        return function

    return decorate


X3, Y3 = load_iris(return_X_y=True)
X3 = X3[::2] + 0.1 * np.random.default_rng(0).normal(size=(75, 4))
Y3 = Y3[::2]
X2, Y2 = X3[25:, [0, 3]], (Y3[25:] == 2).astype(int)
XR, YR = load_diabetes(return_X_y=True)
XR, YR = 10.0 * XR[:70, :5], YR[:70] / 50.0
WEIGHT = np.random.default_rng(1).uniform(0.5, 2.0, len(Y2))


def svc(SVC, **settings):
    return SVC(**{"C": 2.0, "gamma": 0.5, **settings})


def svr(SVR, **settings):
    return SVR(**{"C": 2.0, "gamma": 0.5, **settings})


# Composition ---------------------------------------------------------------------------------


@use("Pipeline")
def in_a_pipeline(SVC, SVR):
    """`fit`, `predict`, `decision_function`, `score`"""
    pipe = pipeline.make_pipeline(StandardScaler(), svc(SVC)).fit(X3, Y3)
    return pipe.decision_function(X3)


@use("ColumnTransformer")
def after_columns(SVC, SVR):
    """`fit` on mixed columns, by name"""
    X = pd.DataFrame({"width": X2[:, 0], "colour": np.where(X2[:, 1] > 1.5, "red", "blue")})
    columns = compose.make_column_transformer(
        (StandardScaler(), ["width"]), (OneHotEncoder(), ["colour"])
    )
    return pipeline.make_pipeline(columns, svc(SVC)).fit(X, Y2).decision_function(X)


@use("FeatureUnion")
def after_a_union(SVC, SVR):
    """`fit` on columns side by side"""
    union = pipeline.make_union(StandardScaler(), "passthrough")
    return pipeline.make_pipeline(union, svc(SVC)).fit(X3, Y3).predict(X3)


@use("TransformedTargetRegressor")
def with_transformed_targets(SVC, SVR):
    """`fit`, `predict` on transformed targets"""
    model = compose.TransformedTargetRegressor(svr(SVR), func=np.log1p, inverse_func=np.expm1)
    return model.fit(XR, YR).predict(XR)


@use("set_output")
def on_frames(SVC, SVR):
    """`feature_names_in_`, checked"""
    X = pd.DataFrame(X3, columns=list("abcd"))
    pipe = pipeline.make_pipeline(StandardScaler(), svc(SVC)).set_output(transform="pandas")
    pipe.fit(X, Y3)
    assert pipe[-1].feature_names_in_.tolist() == list("abcd")
    return pipe.predict(X)


@use("FrozenEstimator")
def frozen(SVC, SVR):
    """`predict` without another fit"""
    return FrozenEstimator(svc(SVC).fit(X3, Y3)).fit(X3, Y3[::-1]).predict(X3)


# Searches and cross-validation ---------------------------------------------------------------


@use("GridSearchCV")
def grid(SVC, SVR):
    """`get_params`, `set_params`, `clone`, `score`"""
    search = selection.GridSearchCV(svc(SVC), {"C": [0.1, 1, 10], "gamma": [0.1, 1]}, cv=3)
    return search.fit(X3, Y3).cv_results_["mean_test_score"]


@use("RandomizedSearchCV")
def randomized(SVC, SVR):
    """the same, at random places"""
    choices = {"C": [0.1, 1, 10], "kernel": ["linear", "rbf", "poly"]}
    search = selection.RandomizedSearchCV(svc(SVC), choices, n_iter=4, cv=3, random_state=0)
    return search.fit(X3, Y3).cv_results_["mean_test_score"]


@use("HalvingGridSearchCV")
def halving(SVC, SVR):
    """the same, on growing subsets of the rows"""
    search = selection.HalvingGridSearchCV(svc(SVC), {"C": [0.1, 1, 10]}, cv=3, random_state=0)
    return search.fit(X3, Y3).cv_results_["mean_test_score"]


@use("HalvingRandomSearchCV")
def halving_at_random(SVC, SVR):
    """the same, at random places"""
    search = selection.HalvingRandomSearchCV(
        svc(SVC), {"C": [0.1, 1, 10]}, n_candidates=3, cv=3, random_state=0
    )
    return search.fit(X3, Y3).cv_results_["mean_test_score"]


@use("cross_val_score")
def scored(SVC, SVR):
    """`score`, or any scorer of decision values"""
    return selection.cross_val_score(svc(SVC), X2, Y2, cv=3, scoring="roc_auc")


@use("cross_validate")
def routed(SVC, SVR):
    """`set_fit_request`, `set_score_request`: weights routed to both"""
    with sklearn.config_context(enable_metadata_routing=True):
        model = svc(SVC).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = selection.cross_validate(model, X2, Y2, cv=3, params={"sample_weight": WEIGHT})
    return found["test_score"]


@use("cross_val_predict")
def predicted(SVC, SVR):
    """`method="decision_function"`"""
    return selection.cross_val_predict(svc(SVC), X3, Y3, cv=3, method="decision_function")


@use("learning_curve")
def learning(SVC, SVR):
    """`fit` on growing subsets"""
    return selection.learning_curve(svc(SVC), X3, Y3, cv=3, shuffle=True, random_state=0)[2]


@use("validation_curve")
def validated(SVC, SVR):
    """`set_params`"""
    found = selection.validation_curve(
        svc(SVC), X3, Y3, param_name="gamma", param_range=[0.01, 0.1, 1.0], cv=3
    )
    return found[1]


@use("permutation_test_score")
def permuted_labels(SVC, SVR):
    """`fit` on permuted labels"""
    return selection.permutation_test_score(
        svc(SVC), X2, Y2, n_permutations=5, cv=3, random_state=0
    )[1]


# Probabilities and thresholds ----------------------------------------------------------------


@use("CalibratedClassifierCV")
def calibrated(SVC, SVR):
    """`decision_function`; weights too. Probabilities for the models of this library"""
    model = calibration.CalibratedClassifierCV(svc(SVC), cv=3, ensemble=False)
    return model.fit(X3, Y3).predict_proba(X3)


@use("TunedThresholdClassifierCV")
def tuned(SVC, SVR):
    """`decision_function`, `response_method`"""
    model = selection.TunedThresholdClassifierCV(svc(SVC), cv=3, scoring="f1", thresholds=20)
    return model.fit(X2, Y2).predict(X2)


@use("FixedThresholdClassifier")
def at_a_threshold(SVC, SVR):
    """`decision_function`, `pos_label`"""
    return selection.FixedThresholdClassifier(svc(SVC), threshold=0.3).fit(X2, Y2).predict(X2)


# Ensembles -----------------------------------------------------------------------------------


@use("VotingClassifier")
def voting(SVC, SVR):
    """`predict` beside other classifiers"""
    models = [("svc", svc(SVC)), ("line", svc(SVC, kernel="linear")), ("lr", LogisticRegression())]
    return ensemble.VotingClassifier(models).fit(X3, Y3).predict(X3)


@use("VotingRegressor")
def mean_of_regressors(SVC, SVR):
    """`predict` beside other regressors"""
    return ensemble.VotingRegressor([("svr", svr(SVR)), ("r", Ridge())]).fit(XR, YR).predict(XR)


@use("StackingClassifier")
def stacked(SVC, SVR):
    """`decision_function` of folds, as features"""
    models = [("svc", svc(SVC)), ("lr", LogisticRegression())]
    return ensemble.StackingClassifier(models, cv=3).fit(X3, Y3).predict_proba(X3)


@use("StackingRegressor")
def stacked_regressors(SVC, SVR):
    """`predict` of folds, as features"""
    models = [("svr", svr(SVR)), ("r", Ridge())]
    return ensemble.StackingRegressor(models, svr(SVR), cv=3).fit(XR, YR).predict(XR)


@use("BaggingClassifier")
def bagged(SVC, SVR):
    """`fit` on draws of rows, by weights or indices; `decision_function`"""
    model = ensemble.BaggingClassifier(svc(SVC), n_estimators=5, random_state=0)
    return model.fit(X3, Y3).decision_function(X3)


@use("BaggingRegressor")
def bagged_regressors(SVC, SVR):
    """`fit` on draws of rows and columns"""
    model = ensemble.BaggingRegressor(svr(SVR), 5, max_features=0.6, random_state=0)
    return model.fit(XR, YR).predict(XR)


@use("AdaBoostClassifier")
def boosted(SVC, SVR):
    """`sample_weight`, from round to round"""
    model = ensemble.AdaBoostClassifier(svc(SVC, C=0.5 * len(Y2)), n_estimators=4, random_state=0)
    return model.fit(X2, Y2).decision_function(X2)


@use("AdaBoostRegressor")
def boosted_regressors(SVC, SVR):
    """`fit` on weighted draws"""
    return (
        ensemble.AdaBoostRegressor(svr(SVR), n_estimators=4, random_state=0).fit(XR, YR).predict(XR)
    )


# Several classes and several outputs ---------------------------------------------------------


@use("OneVsRestClassifier")
def one_vs_rest(SVC, SVR):
    """`decision_function` of two classes"""
    return multiclass.OneVsRestClassifier(svc(SVC)).fit(X3, Y3).decision_function(X3)


@use("OneVsOneClassifier")
def one_vs_one(SVC, SVR):
    """`decision_function` of two classes"""
    return multiclass.OneVsOneClassifier(svc(SVC)).fit(X3, Y3).decision_function(X3)


@use("OutputCodeClassifier")
def output_code(SVC, SVR):
    """`decision_function` of two classes"""
    model = multiclass.OutputCodeClassifier(svc(SVC), code_size=2.0, random_state=0)
    return model.fit(X3, Y3).predict(X3)


@use("MultiOutputClassifier")
def several_labels(SVC, SVR):
    """`fit`, `predict` for each output"""
    Y = np.column_stack([Y2, X2[:, 0] > 6.0]).astype(int)
    return multioutput.MultiOutputClassifier(svc(SVC)).fit(X2, Y).predict(X2)


@use("MultiOutputRegressor")
def several_targets(SVC, SVR):
    """`fit`, `predict` for each output"""
    Y = np.column_stack([YR, XR[:, 0]])
    return multioutput.MultiOutputRegressor(svr(SVR)).fit(XR, Y).predict(XR)


@use("ClassifierChain")
def chain(SVC, SVR):
    """`decision_function`, with earlier outputs as features"""
    Y = np.column_stack([Y2, X2[:, 0] > 6.0]).astype(int)
    return multioutput.ClassifierChain(svc(SVC), order=[1, 0]).fit(X2, Y).decision_function(X2)


@use("RegressorChain")
def chain_of_regressors(SVC, SVR):
    """`predict`, with earlier outputs as features"""
    Y = np.column_stack([YR, XR[:, 0]])
    return multioutput.RegressorChain(svr(SVR)).fit(XR, Y).predict(XR)


@use("SelfTrainingClassifier")
def self_training(SVC, SVR):
    """`fit` on rows that it has labelled itself; needs the probabilities of a calibrated model"""
    y = np.where(np.arange(len(Y2)) % 3 == 0, -1, Y2)
    inner = calibration.CalibratedClassifierCV(svc(SVC), cv=2, ensemble=False)
    return semi_supervised.SelfTrainingClassifier(inner, threshold=0.7).fit(X2, y).predict(X2)


# Selection of features -----------------------------------------------------------------------


@use("RFE")
def eliminated(SVC, SVR):
    """`coef_` of a linear kernel"""
    return feature_selection.RFE(svc(SVC, kernel="linear"), step=1).fit(X3, Y3).ranking_


@use("RFECV")
def eliminated_by_folds(SVC, SVR):
    """`coef_`, `score`"""
    found = feature_selection.RFECV(svr(SVR, kernel="linear"), cv=3).fit(XR, YR)
    return found.cv_results_["mean_test_score"]


@use("SelectFromModel")
def selected_by_coefficients(SVC, SVR):
    """`coef_` of a linear kernel"""
    found = feature_selection.SelectFromModel(svr(SVR, kernel="linear")).fit(XR, YR)
    return found.get_support().astype(int)


@use("SequentialFeatureSelector")
def selected_one_by_one(SVC, SVR):
    """`score`"""
    selector = feature_selection.SequentialFeatureSelector(svc(SVC), n_features_to_select=2, cv=3)
    return selector.fit(X3, Y3).get_support().astype(int)


# Regression inside others --------------------------------------------------------------------


@use("RANSACRegressor")
def robust(SVC, SVR):
    """`fit`, `predict`, `score` on draws of rows"""
    model = RANSACRegressor(svr(SVR, kernel="linear"), min_samples=20, random_state=0)
    return model.fit(XR, YR).predict(XR)


@use("IterativeImputer")
def imputed(SVC, SVR):
    """`fit`, `predict` for each column"""
    X = XR.copy()
    X[::7, 1] = np.nan
    return IterativeImputer(svr(SVR), max_iter=3, tol=1e3, random_state=0).fit_transform(X)


# Inspection and displays ---------------------------------------------------------------------


@use("permutation_importance")
def importance(SVC, SVR):
    """`score` on permuted columns"""
    model = svc(SVC).fit(X3, Y3)
    found = inspection.permutation_importance(model, X3, Y3, n_repeats=3, random_state=0)
    return found.importances_mean


@use("partial_dependence")
def dependence(SVC, SVR):
    """`decision_function` or `predict` on a grid"""
    model = svc(SVC).fit(X2, Y2)
    return inspection.partial_dependence(model, X2, [0], grid_resolution=10)["average"]


@use("PartialDependenceDisplay")
def dependence_display(SVC, SVR):
    """`predict` on a grid"""
    display = inspection.PartialDependenceDisplay.from_estimator(svr(SVR).fit(XR, YR), XR, [0, 1])
    return display.pd_results[0]["average"]


@use("DecisionBoundaryDisplay")
def boundary(SVC, SVR):
    """`decision_function`, `predict` on a grid"""
    model = svc(SVC).fit(X2, Y2)
    return inspection.DecisionBoundaryDisplay.from_estimator(
        model, X2, grid_resolution=15, response_method="decision_function"
    ).response


@use("RocCurveDisplay")
def roc(SVC, SVR):
    """`decision_function`"""
    return metrics.RocCurveDisplay.from_estimator(svc(SVC).fit(X2, Y2), X2, Y2).roc_auc


@use("PrecisionRecallDisplay")
def precision_recall(SVC, SVR):
    """`decision_function`"""
    display = metrics.PrecisionRecallDisplay.from_estimator(svc(SVC).fit(X2, Y2), X2, Y2)
    return display.average_precision


@use("DetCurveDisplay")
def detection(SVC, SVR):
    """`decision_function`"""
    return metrics.DetCurveDisplay.from_estimator(svc(SVC).fit(X2, Y2), X2, Y2).fpr


@use("ConfusionMatrixDisplay")
def confusion(SVC, SVR):
    """`predict`, `classes_`"""
    model = svc(SVC).fit(X3, Y3)
    return metrics.ConfusionMatrixDisplay.from_estimator(model, X3, Y3).confusion_matrix


@use("PredictionErrorDisplay")
def errors(SVC, SVR):
    """`predict`"""
    model = svr(SVR).fit(XR, YR)
    return metrics.PredictionErrorDisplay.from_estimator(model, XR, YR, subsample=None).y_pred


@use("LearningCurveDisplay")
def learning_display(SVC, SVR):
    """`fit`, `score` on growing subsets"""
    display = selection.LearningCurveDisplay.from_estimator(
        svc(SVC), X3, Y3, cv=3, shuffle=True, random_state=0
    )
    return display.test_scores


@use("ValidationCurveDisplay")
def validation_display(SVC, SVR):
    """`set_params`, `score`"""
    display = selection.ValidationCurveDisplay.from_estimator(
        svc(SVC), X3, Y3, param_name="C", param_range=[0.1, 1.0], cv=3
    )
    return display.test_scores


@use("clone")
def cloned(SVC, SVR):
    """`get_params`; the same fit again"""
    return clone(svc(SVC).fit(X3, Y3)).fit(X3, Y3).decision_function(X3)
