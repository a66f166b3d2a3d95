// Polygons that tile the unit square: which of them holds a point, and where its neighbours are.

import { runningSums, unpack } from "./arrays.mjs";

// Cells of the grid for each polygon, about.
const CELLS = 0.5;

export class Tiles {
  constructor(data) {
    this.offset = runningSums(unpack(data.corners));
    this.x = unpack(data.x);
    this.y = unpack(data.y);
    this.n = this.offset.length - 1;
    this.side = Math.max(1, Math.floor(Math.sqrt(CELLS * this.n)));
    this.cells = Array.from({ length: this.side * this.side }, () => []);
    for (let k = 0; k < this.n; k++) this.#enter(k);
  }

  /** Put a polygon into the cells that its box meets. */
  #enter(k) {
    const box = { x0: 1, x1: 0, y0: 1, y1: 0 };
    for (let v = this.offset[k]; v < this.offset[k + 1]; v++) {
      box.x0 = Math.min(box.x0, this.x[v]);
      box.x1 = Math.max(box.x1, this.x[v]);
      box.y0 = Math.min(box.y0, this.y[v]);
      box.y1 = Math.max(box.y1, this.y[v]);
    }
    const last = this.#cell(box.x1 + 1e-9);
    const top = this.#cell(box.y1 + 1e-9);
    for (let j = this.#cell(box.y0 - 1e-9); j <= top; j++)
      for (let i = this.#cell(box.x0 - 1e-9); i <= last; i++) this.cells[j * this.side + i].push(k);
  }

  #cell(value) {
    return Math.min(Math.max(Math.floor(value * this.side), 0), this.side - 1);
  }

  /** The polygon that holds a point; where there is none, the nearest around. */
  find(x, y) {
    const near = this.cells[this.#cell(y) * this.side + this.#cell(x)];
    const n = near.length || this.n;
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < n; i++) {
      const k = near.length ? near[i] : i;
      const excess = this.#excess(k, x, y);
      if (excess < least) [best, least] = [k, excess];
    }
    return best;
  }

  /** How far a point is outside a polygon; negative inside. */
  #excess(k, x, y) {
    let worst = -Infinity;
    this.edges(k, (x0, y0, x1, y1) => {
      const [dx, dy] = [x1 - x0, y1 - y0];
      const length = Math.hypot(dx, dy);
      if (length > 0) worst = Math.max(worst, (dy * (x - x0) - dx * (y - y0)) / length);
    });
    return worst;
  }

  /** Visit the edges of a polygon, counter-clockwise. */
  edges(k, visit) {
    const [from, to] = [this.offset[k], this.offset[k + 1]];
    for (let v = from; v < to; v++) {
      const w = v + 1 < to ? v + 1 : from;
      visit(this.x[v], this.y[v], this.x[w], this.y[w]);
    }
  }

  nCorners(k) {
    return this.offset[k + 1] - this.offset[k];
  }

  /** The share of the plane that a polygon covers. */
  area(k) {
    const [ox, oy] = [this.x[this.offset[k]], this.y[this.offset[k]]];
    let twice = 0;
    this.edges(k, (x0, y0, x1, y1) => {
      twice += (x0 - ox) * (y1 - oy) - (x1 - ox) * (y0 - oy);
    });
    return twice / 2;
  }

  /** The mean of the corners, which is inside. */
  centre(k) {
    let [x, y] = [0, 0];
    for (let v = this.offset[k]; v < this.offset[k + 1]; v++) [x, y] = [x + this.x[v], y + this.y[v]];
    return [x / this.nCorners(k), y / this.nCorners(k)];
  }

  /** The polygons beyond the edges of one, each once, without those outside the square. */
  neighbours(k) {
    const found = new Set();
    this.edges(k, (x0, y0, x1, y1) => {
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (!(length > 0)) return;
      // To the right of an edge is outside.
      const step = Math.min(1e-7, 0.1 * length) / length;
      const x = (x0 + x1) / 2 + step * (y1 - y0);
      const y = (y0 + y1) / 2 - step * (x1 - x0);
      if (x >= 0 && x <= 1 && y >= 0 && y <= 1) found.add(this.find(x, y));
    });
    found.delete(k);
    return [...found];
  }
}
