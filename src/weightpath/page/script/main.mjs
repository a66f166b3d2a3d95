// What the page, the frame in a notebook and the widget call.

import { App } from "./app.mjs";

/**
 * Put a path into an element. The object that is returned reads it at any theta and moves it; a
 * page has it as window.weightpath.
 */
export function mount(element, data, options) {
  const app = new App(element, data, options);
  const { path, judged, curve } = app;
  return {
    get theta() {
      return app.theta;
    },
    get frame() {
      return app.frame;
    },
    /** Move the slider. */
    go: (theta, tell) => app.go(theta, tell),
    close: () => app.close(),
    /** The exact solution: dualCoef, intercept and the sets by subproblem; weights. */
    at: (theta) => path.at(theta),
    /** The metric. */
    curve: (theta) => (curve ? curve.at(theta) : null),
    /** The confusion matrix: true classes in rows, predicted ones in columns. */
    confusion: (theta) =>
      judged.labels ? judged.confusion(theta).map((row) => Array.from(row)) : null,
    predict: (theta) => (judged.labels || judged.canEvaluate ? judged.predictions(theta) : null),
    decisionFunction: (theta) => (judged.canEvaluate ? judged.decisionValues(theta) : null),
    /** The documents of a query, the first one first, with their scores and NDCG. */
    ranking: (theta, query = 0) => (app.ranking ? app.ranking.at(theta, query) : null),
  };
}
