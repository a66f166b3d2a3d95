// A whole plane: its problem, weights and names, at any point z. Panels read it as they read a path.

import { unpack } from "./arrays.mjs";
import { shown } from "./dom.mjs";
import { SETS } from "./path.mjs";
import { PlanePart } from "./plane_part.mjs";
import { Tiles } from "./tiles.mjs";
import { Expansion } from "./values.mjs";

export class Plane {
  constructor(data) {
    this.data = data;
    this.isPlane = true;
    this.n = data.n;
    this.bounds = data.bounds;
    this.tiles = new Tiles(data.regions);
    this.part = new PlanePart(data.part, data.regions, this.tiles, data.bounds);
    this.parts = [this.part];
    this.expansion = new Expansion(data.expansion);
    this.classOf = unpack(data.classOf);
    this.hasTargets = data.part.hasTarget && !this.classOf;
    this.symbol = "z";
    const [[left, right], [bottom, top]] = data.bounds;
    this.probes = [left, (left + right) / 2, right].flatMap((x) =>
      [bottom, (bottom + top) / 2, top].map((y) => [x, y]),
    );
    const corners = [[left, bottom], [right, bottom], [left, top]];
    this.corners = data.weights.corners.map(unpack);
    this.weightEnds = corners.map((corner, k) => ({
      name: `at (${corner.map((one) => shown(one, 3)).join(", ")})`,
      values: this.corners[k],
      colour: [2, 1, 3][k],
    }));
  }

  /** A point within the bounds. */
  clipped(z) {
    return z.map((value, k) => Math.min(Math.max(value, this.bounds[k][0]), this.bounds[k][1]));
  }

  /** The z of a point of the unit square. */
  fromUnit(unit) {
    return unit.map((u, k) => this.bounds[k][0] + u * (this.bounds[k][1] - this.bounds[k][0]));
  }

  region(z) {
    return this.tiles.find(...this.part.unit(z));
  }

  moments(z) {
    return [this.part.moment(z)];
  }

  /** The weight of a row; not a number where weights are no affine function of z. */
  weight(row, z) {
    const [x, y] = this.part.unit(z);
    const [origin, first, second] = this.corners;
    if (x === 0 && y === 0) return origin[row];
    if (!this.data.weights.straight) return NaN;
    return origin[row] + x * (first[row] - origin[row]) + y * (second[row] - origin[row]);
  }

  name(row) {
    return this.data.names?.[row] || `${this.data.wording.row} ${row}`;
  }

  /** The class of a row, or its target. */
  label(row, z) {
    if (this.classOf) return this.data.outputs.classes[this.classOf[row]];
    if (!this.hasTargets) return "";
    const own = this.part.rows ? this.part.rows.indexOf(row) : row;
    return own < 0 ? NaN : this.part.target(own, z);
  }

  /** Half the width of the tube of a regression; zero if it has none. */
  tube(z) {
    const { tube } = this.data;
    const [x, y] = this.part.unit(z);
    return tube ? tube[0] + x * tube[1] + y * tube[2] : 0;
  }

  trainingRow(k, row) {
    return this.part.rows ? this.part.rows[row] : row;
  }

  /** The training rows that are outside, on and inside the margin of a region. */
  sets(region) {
    const found = [[], [], []];
    const position = this.part.positions(region);
    position.forEach((at, row) => found[this.part.set(row, at)].push(this.trainingRow(0, row)));
    return found;
  }

  /** Everything at z in new plain arrays, in the form of RegionMap.at. */
  at(z) {
    const moment = this.part.moment(z);
    const dualCoef = new Float64Array(this.n);
    const weights = new Float64Array(this.n);
    for (let row = 0; row < this.part.n; row++) {
      const own = this.trainingRow(0, row);
      dualCoef[own] = moment.beta[row];
      weights[own] = this.weight(own, z);
    }
    const solution = { z, region: moment.region, dualCoef, intercept: moment.bias, weights };
    this.sets(moment.region).forEach((rows, code) => (solution[SETS[code]] = rows));
    return solution;
  }
}
