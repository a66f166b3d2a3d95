// Decision functions on a grid over two features, and lines of equal value on it.

import { kernelBetween } from "./kernel.mjs";

/** A grid of nx by ny points over a box { x0, x1, y0, y1 }. */
export function grid(box, nx, ny) {
  const at = (low, high, n) =>
    Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1));
  return { nx, ny, x: at(box.x0, box.x1, nx), y: at(box.y0, box.y1, ny) };
}

/** The values of one decision function on a grid, row by row. */
export function evaluate(expansion, terms, points) {
  const { name, gamma } = expansion.kernel;
  if (name === "rbf") return separable(expansion.X, terms, points, gamma);
  const { nx, ny, x, y } = points;
  const values = new Float64Array(nx * ny);
  const cell = { d: 2, x: new Float64Array(2) };
  const f =
    name === "linear"
      ? expansion.at(terms, cell)
      : sum(kernelBetween(expansion.kernel, expansion.X, cell), terms);
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      cell.x[0] = x[i];
      cell.x[1] = y[j];
      values[j * nx + i] = f(0);
    }
  }
  return values;
}

function sum(k, { index, coef, intercept }) {
  return (i) => {
    let total = intercept;
    for (let t = 0; t < index.length; t++) total += coef[t] * k(index[t], i);
    return total;
  };
}

/** exp(-g (a² + b²)) = exp(-g a²) exp(-g b²): few exponentials, then products only. */
function separable(X, { index, coef, intercept }, { nx, ny, x, y }, gamma) {
  const values = new Float64Array(nx * ny).fill(intercept);
  const across = new Float64Array(nx);
  for (let t = 0; t < index.length; t++) {
    const a = X.x[2 * index[t]];
    const b = X.x[2 * index[t] + 1];
    for (let i = 0; i < nx; i++) across[i] = coef[t] * Math.exp(-gamma * (x[i] - a) * (x[i] - a));
    for (let j = 0; j < ny; j++) {
      const down = Math.exp(-gamma * (y[j] - b) * (y[j] - b));
      if (down < 1e-17) continue;
      const row = j * nx;
      for (let i = 0; i < nx; i++) values[row + i] += across[i] * down;
    }
  }
  return values;
}

/** The value between the points of a grid, by its four corners. */
export function between(values, nx, ny, u, v) {
  const i = Math.min(Math.floor(u), nx - 2);
  const j = Math.min(Math.floor(v), ny - 2);
  const a = u - i;
  const b = v - j;
  const k = j * nx + i;
  const top = values[k] + a * (values[k + 1] - values[k]);
  const bottom = values[k + nx] + a * (values[k + nx + 1] - values[k + nx]);
  return top + b * (bottom - top);
}

/** Pieces of the line on which a function has one value: visit(x0, y0, x1, y1) in grid units. */
export function contour(values, nx, ny, level, visit) {
  const cut = (p, q) => (level - p) / (q - p);
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const k = j * nx + i;
      const [a, b, c, d] = [values[k], values[k + 1], values[k + nx + 1], values[k + nx]];
      const code = (a > level) | ((b > level) << 1) | ((c > level) << 2) | ((d > level) << 3);
      if (code === 0 || code === 15) continue;
      const top = () => [i + cut(a, b), j];
      const right = () => [i + 1, j + cut(b, c)];
      const bottom = () => [i + cut(d, c), j + 1];
      const left = () => [i, j + cut(a, d)];
      const join = (from, to) => visit(...from(), ...to());
      if (code === 1 || code === 14) join(left, top);
      else if (code === 2 || code === 13) join(top, right);
      else if (code === 4 || code === 11) join(right, bottom);
      else if (code === 8 || code === 7) join(bottom, left);
      else if (code === 3 || code === 12) join(left, right);
      else if (code === 6 || code === 9) join(top, bottom);
      else {
        // A saddle: two pieces, around the corners above the level or around the others.
        const centre = (a + b + c + d) / 4 > level;
        const isFirst = code === 5;
        if (centre === isFirst) {
          join(top, right);
          join(bottom, left);
        } else {
          join(left, top);
          join(right, bottom);
        }
      }
    }
  }
}
