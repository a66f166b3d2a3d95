// Kernel values between rows to predict and training rows, computed once: decision values are then
// sums of products.

import { unpack } from "./arrays.mjs";
import { kernelBetween } from "./kernel.mjs";

// More numbers than this are not kept.
const MOST = 4e6;

export class Products {
  constructor(values, nTraining) {
    this.values = values;
    this.nTraining = nTraining;
  }

  /** Those that Python wrote, or computed from the rows; null if neither is possible. */
  static of(data, X, path) {
    const { expansion } = path;
    if (data.products) return new Products(unpack(data.products), path.n);
    if (X === null || !expansion.canEvaluate || X.n * path.n > MOST) return null;
    const k = kernelBetween(expansion.kernel, expansion.X, X);
    const values = new Float64Array(X.n * path.n);
    for (let i = 0, at = 0; i < X.n; i++)
      for (let j = 0; j < path.n; j++) values[at++] = k(j, i);
    return new Products(values, path.n);
  }

  /** The decision value at row i, as a function of i. */
  at({ index, coef, intercept }) {
    const { values, nTraining } = this;
    return (i) => {
      let sum = 0;
      const from = i * nTraining;
      for (let j = 0; j < index.length; j++) sum += coef[j] * values[from + index[j]];
      return sum + intercept;
    };
  }
}
