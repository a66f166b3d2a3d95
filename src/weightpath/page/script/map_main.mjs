// What the page of a region map, and its frame in a notebook, call.

import { MapApp } from "./map_app.mjs";

/**
 * Put a map into an element. The object that is returned reads it at any point z = [z1, z2] and moves
 * it; a page has it as window.weightpath.
 */
export function mount(element, data) {
  const app = new MapApp(element, data);
  const { plane, judged, surface } = app;
  return {
    get z() {
      return app.z;
    },
    get theta() {
      return app.z;
    },
    bounds: plane.bounds,
    get frame() {
      return app.frame;
    },
    /** Move the point. */
    go: (z) => app.go(z),
    close: () => app.close(),
    /** The number of the region that holds a point. */
    locate: (z) => plane.region(z),
    /** The exact solution: region, dualCoef, intercept, the sets and weights. */
    at: (z) => plane.at(z),
    /** The metric. */
    surface: (z) => (surface ? surface.at(z) : null),
    /** The confusion matrix: true classes in rows, predicted ones in columns. */
    confusion: (z) => (judged.labels ? judged.confusion(z).map((row) => Array.from(row)) : null),
    predict: (z) => (judged.canEvaluate ? judged.predictions(z) : null),
    decisionFunction: (z) => (judged.canEvaluate ? judged.decisionValues(z) : null),
  };
}
