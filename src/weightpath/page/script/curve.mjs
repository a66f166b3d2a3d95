// A metric along the path: a polynomial of degree at most two on every interval of theta.

import { countUpTo, indexOf, unpack } from "./arrays.mjs";

export class Curve {
  constructor(data) {
    Object.assign(this, data);
    this.edges = unpack(data.edges);
    this.coefficients = unpack(data.coefficients);
    this.pointTheta = unpack(data.pointTheta);
    this.pointValue = unpack(data.pointValue);
    this.nIntervals = this.edges.length - 1;
  }

  /** The polynomial of an interval at a distance from its left edge. */
  onInterval(e, distance) {
    const width = this.degree + 1;
    let value = 0;
    for (let power = this.degree; power >= 0; power--) {
      value = value * distance + this.coefficients[e * width + power];
    }
    return value;
  }

  /** The value at theta; not a number beyond the ends. */
  at(theta) {
    const point = indexOf(this.pointTheta, theta);
    if (point >= 0) return this.pointValue[point];
    if (theta < this.edges[0] || theta > this.edges[this.nIntervals]) return NaN;
    const e = Math.min(countUpTo(this.edges, theta) - 1, this.nIntervals - 1);
    return this.onInterval(e, theta - this.edges[e]);
  }

  /** The lowest and the highest value, over the ends of intervals, their vertices and all points. */
  range() {
    let low = Infinity;
    let high = -Infinity;
    const meet = (value) => {
      low = Math.min(low, value);
      high = Math.max(high, value);
    };
    for (let e = 0; e < this.nIntervals; e++) {
      const length = this.edges[e + 1] - this.edges[e];
      meet(this.onInterval(e, 0));
      meet(this.onInterval(e, length));
      if (this.degree === 2) {
        const vertex = -this.coefficients[e * 3 + 1] / (2 * this.coefficients[e * 3 + 2]);
        if (vertex > 0 && vertex < length) meet(this.onInterval(e, vertex));
      }
    }
    this.pointValue.forEach(meet);
    return [low, high];
  }
}
