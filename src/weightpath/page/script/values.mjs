// Decision values: sums over coefficients, from the rows that the page holds.

import { unpack } from "./arrays.mjs";
import { kernelBetween } from "./kernel.mjs";

/** Rows of features { n, d, x }; null stays null. */
export function matrix(data) {
  return data && { n: data.n, d: data.d, x: unpack(data.x) };
}

/**
 * How the coefficients of a path are evaluated: as sums over training rows, over documents that
 * pairs of them add up to, or over features.
 */
export class Expansion {
  constructor(data) {
    this.rowsAre = data.rows;
    this.kernel = data.kernel;
    this.X = matrix(data.X);
    this.first = unpack(data.first);
    this.second = unpack(data.second);
    this.centre = unpack(data.centre);
    this.offset = data.offset;
  }

  /** Whether values can be computed here at all. */
  get canEvaluate() {
    return this.rowsAre === "features" || this.X !== null;
  }

  /** What is added to sums over the coefficients. */
  intercept(moment) {
    if (this.rowsAre === "pairs") return 0;
    if (this.rowsAre === "instances") return moment.bias;
    const { theta, beta } = moment;
    let sum = 0;
    for (let j = 0; j < beta.length; j++) sum += this.centre[j] * beta[j];
    return (1 - theta) * this.offset[0] + theta * this.offset[1] - sum;
  }

  /** Coefficients by training row: { index, coef, intercept }, of those that are not zero. */
  terms(part, moment) {
    const { beta } = moment;
    const index = [];
    const coef = [];
    const intercept = this.intercept(moment);
    if (this.rowsAre === "pairs") {
      const sums = new Float64Array(this.X ? this.X.n : 0);
      for (let p = 0; p < beta.length; p++) {
        if (beta[p] === 0) continue;
        sums[this.first[p]] += beta[p];
        sums[this.second[p]] -= beta[p];
      }
      sums.forEach((sum, i) => sum !== 0 && (index.push(i), coef.push(sum)));
    } else {
      for (let i = 0; i < beta.length; i++) {
        if (beta[i] === 0) continue;
        index.push(part.rows ? part.rows[i] : i);
        coef.push(beta[i]);
      }
    }
    return { index, coef, intercept };
  }

  /** The decision value at row i of a matrix, as a function of i. */
  at(terms, points) {
    const { index, coef, intercept } = terms;
    if (this.rowsAre === "features") {
      return (i) => {
        let sum = 0;
        for (let k = 0; k < index.length; k++) sum += coef[k] * points.x[i * points.d + index[k]];
        return sum + intercept;
      };
    }
    if (this.kernel.name === "linear") return this.#linear(terms, points);
    const k = kernelBetween(this.kernel, this.X, points);
    return (i) => {
      let sum = 0;
      for (let j = 0; j < index.length; j++) sum += coef[j] * k(index[j], i);
      return sum + intercept;
    };
  }

  #linear({ index, coef, intercept }, points) {
    const { d, x } = this.X;
    const w = new Float64Array(d);
    for (let j = 0; j < index.length; j++) {
      for (let k = 0; k < d; k++) w[k] += coef[j] * x[index[j] * d + k];
    }
    return (i) => {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += w[k] * points.x[i * d + k];
      return sum + intercept;
    };
  }
}
