// The problem of a plane: coefficients, bias and positions at any point, exactly, from the affine
// functions of the regions. A region follows from its parent by an exchange of rows and a step: a
// vector times one affine function, which is zero on the line between the two.

import { indexOf, runningSums, unpack } from "./arrays.mjs";

/** An affine function of the unit square, given by three arrays: its value for one row. */
const value = (columns, row, [x, y]) =>
  columns[0][row] + columns[1][row] * x + columns[2][row] * y;

export class PlanePart {
  constructor(data, regions, tiles, bounds) {
    this.n = data.n;
    this.rows = unpack(data.rows);
    this.knots = data.knots.map((columns) => columns.map(unpack));
    this.nKnots = this.knots.length;
    this.sign = unpack(data.sign);
    this.sets = data.sets;
    this.stairsData = {
      target: data.target.map(unpack),
      levels: data.levels.map((columns) => columns.map(unpack)),
      total: data.total,
      ridge: data.ridge,
    };
    this.tiles = tiles;
    this.bounds = bounds;
    this.#readRegions(regions);
    this.beta = new Float64Array(this.n);
    this.here = null;
  }

  #readRegions(data) {
    for (const name of ["up", "row", "to", "secondRow", "secondTo", "margin", "whole"])
      this[name] = unpack(data[name]);
    this.wholePosition = unpack(data.position);
    this.wholeFunction = unpack(data.function);
    this.size = unpack(data.size);
    this.line = unpack(data.line);
    const n = this.tiles.n;
    // Where the numbers of each region begin, among those that are written out or among the steps.
    this.start = new Uint32Array(n);
    this.stepNumber = new Int32Array(n).fill(-1);
    let [whole, step, nSteps, next] = [0, 0, 0, 0];
    for (let k = 0; k < n; k++) {
      if (this.whole[next] === k) {
        this.start[k] = whole;
        whole += 3 * (this.margin[k] + 1);
        next++;
      } else {
        this.start[k] = step;
        this.stepNumber[k] = nSteps++;
        step += this.margin[k] + 1;
      }
    }
  }

  /** The regions from one that is written out to this one. */
  #way(k) {
    const way = [k];
    while (this.stepNumber[k] >= 0) way.push((k -= this.up[k]));
    return way.reverse();
  }

  #exchange(position, k) {
    if (this.row[k] > 0) position[this.row[k] - 1] = this.to[k];
    if (this.secondRow[k] > 0) position[this.secondRow[k] - 1] = this.secondTo[k];
  }

  /** The positions of all rows in a region. */
  positions(k) {
    const [first, ...rest] = this.#way(k);
    const at = indexOf(this.whole, first) * this.n;
    const position = this.wholePosition.slice(at, at + this.n);
    for (const region of rest) this.#exchange(position, region);
    return position;
  }

  /** Positions, members of the margin, and the functions of the bias (first) and of the members. */
  region(k) {
    if (this.here?.number === k) return this.here;
    const [first, ...rest] = this.#way(k);
    const at = indexOf(this.whole, first) * this.n;
    const position = this.wholePosition.slice(at, at + this.n);
    let member = this.#members(position);
    let functions = this.wholeFunction.slice(
      this.start[first],
      this.start[first] + 3 * (member.length + 1),
    );
    for (const region of rest) {
      const before = Uint8Array.from(position);
      this.#exchange(position, region);
      const members = this.#members(position);
      functions = this.#step(region, before, member, members, functions);
      member = members;
    }
    this.here = { number: k, position, member, functions };
    return this.here;
  }

  #members(position) {
    const found = [];
    for (let row = 0; row < this.n; row++) if (position[row] % 2 === 0) found.push(row);
    return found;
  }

  /** The functions after one step: what a row had before, at a knot or as a member, and the step. */
  #step(region, before, old, members, functions) {
    const found = new Float64Array(3 * (members.length + 1));
    const line = 3 * this.stepNumber[region];
    let place = 0;
    for (let i = 0; i <= members.length; i++) {
      const row = members[i - 1];
      while (i > 0 && place < old.length && old[place] < row) place++;
      const stays = i === 0 || old[place] === row;
      const from = i === 0 ? 0 : 3 * (place + 1);
      const knot = stays ? null : this.knots[this.#knotBelow(before[row])];
      const size = this.size[this.start[region] + i];
      for (let c = 0; c < 3; c++) {
        const base = stays ? functions[from + c] : knot[c][row];
        found[3 * i + c] = base + size * this.line[line + c];
      }
    }
    return found;
  }

  #knotBelow(position) {
    return Math.min(Math.max((position - 1) >> 1, 0), this.nKnots - 1);
  }

  /** Where a point is in the unit square. */
  unit(z) {
    return z.map((value, k) => (value - this.bounds[k][0]) / (this.bounds[k][1] - this.bounds[k][0]));
  }

  /**
   * Coefficients, bias and positions at a point. The arrays are this object's own: they change with
   * the next call.
   */
  moment(z) {
    const unit = this.unit(z);
    const number = this.tiles.find(...unit);
    const { position, member, functions } = this.region(number);
    const { beta } = this;
    for (let row = 0; row < this.n; row++)
      beta[row] = value(this.knots[this.#knotBelow(position[row])], row, unit);
    const at = (i) => functions[3 * i] + functions[3 * i + 1] * unit[0] + functions[3 * i + 2] * unit[1];
    member.forEach((row, i) => {
      const interval = position[row] >> 1;
      const low = interval > 0 ? value(this.knots[interval - 1], row, unit) : -Infinity;
      const high = interval < this.nKnots ? value(this.knots[interval], row, unit) : Infinity;
      beta[row] = Math.min(Math.max(at(i + 1), low), Math.max(low, high));
    });
    return { theta: z, region: number, beta, position, bias: at(0), nMargin: member.length };
  }

  target(row, z) {
    return value(this.stairsData.target, row, this.unit(z));
  }

  /** Targets and levels at a point, as functions of the row. */
  stairs(z) {
    const unit = this.unit(z);
    const { target, levels, total, ridge } = this.stairsData;
    const targetOf = (row) => value(target, row, unit);
    const levelOf = (q, row) => value(levels[q], row, unit);
    let scale = 0;
    for (let row = 0; row < this.n; row++) {
      scale = Math.max(scale, Math.abs(targetOf(row)));
      for (let q = 1; q < this.nKnots; q++) {
        const level = Math.abs(levelOf(q, row));
        if (Number.isFinite(level)) scale = Math.max(scale, level);
      }
    }
    const sum = total[0] + total[1] * unit[0] + total[2] * unit[1];
    return { target: targetOf, levels: levelOf, scale: scale || 1, total: sum, ridge };
  }

  /** 0 (outside), 1 (margin) or 2 (inside) for a row at a position. */
  set(row, position) {
    return this.sets[this.sign[row]][position];
  }
}
