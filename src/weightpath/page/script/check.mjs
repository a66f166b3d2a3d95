// Optimality, checked here: residuals from the rows in the page, not from the path's own numbers.

import { kernelBetween } from "./kernel.mjs";

/** Whether the page has all that a check needs. */
export function canCheck(path) {
  const { rowsAre, X, kernel } = path.expansion;
  return (
    rowsAre === "instances" &&
    X !== null &&
    kernel !== null &&
    path.parts.every((part) => part.stairsData)
  );
}

/**
 * How far the solution of a subproblem is from optimal: the largest distance of a residual from
 * where the position of its row allows it to be, and of the coefficients' sum from its total, both
 * relative to the largest target or level.
 */
export function violation(path, part, moment) {
  const { expansion } = path;
  const { theta, beta, bias, position } = moment;
  const { target, levels, scale, total, ridge } = part.stairs(theta);
  const terms = expansion.terms(part, moment);
  const k = kernelBetween(expansion.kernel, expansion.X, expansion.X);
  let worst = 0;
  let sum = 0;
  for (let row = 0; row < part.n; row++) {
    const own = path.trainingRow(path.parts.indexOf(part), row);
    let value = bias + ridge * beta[row];
    for (let t = 0; t < terms.index.length; t++) value += terms.coef[t] * k(terms.index[t], own);
    const residual = target(row) - value;
    const lower = levels(position[row] >> 1, row);
    const upper = levels((position[row] + 1) >> 1, row);
    worst = Math.max(worst, lower - residual, residual - upper);
    sum += beta[row];
  }
  return Math.max(worst, Math.abs(sum - total)) / scale;
}
