// Metrics as functions of decision values, as in weightpath/metrics.

import { unpack } from "./arrays.mjs";

const ratio = (a, b) => (b === 0 ? 0 : a / b);

/** Functions of the weights m[true class][predicted class] of two classes. */
const OF_COUNTS = {
  zero_one: (m) => ratio(m[0][1] + m[1][0], total(m)),
  accuracy: (m) => ratio(m[0][0] + m[1][1], total(m)),
  balanced_accuracy: (m) => {
    const rows = m.filter(([a, b]) => a + b > 0).length;
    return ratio(ratio(m[0][0], m[0][0] + m[0][1]) + ratio(m[1][1], m[1][0] + m[1][1]), rows);
  },
  precision: (m) => ratio(m[1][1], m[0][1] + m[1][1]),
  recall: (m) => ratio(m[1][1], m[1][0] + m[1][1]),
  f1: (m) => ratio(2 * m[1][1], m[1][0] + 2 * m[1][1] + m[0][1]),
  matthews: (m) => {
    const all = total(m);
    const [a, b, c, d] = [m[0][0], m[0][1], m[1][0], m[1][1]].map((one) => one / all);
    const spread = Math.sqrt((a + b) * (c + d)) * Math.sqrt((a + c) * (b + d));
    return Math.min(1, Math.max(-1, ratio(a * d - b * c, spread)));
  },
  cost: (m, cost) =>
    ratio(
      m[0][0] * cost[0][0] + m[0][1] * cost[0][1] + m[1][0] * cost[1][0] + m[1][1] * cost[1][1],
      total(m),
    ),
};

/** Shares in each group of which the largest difference counts: numerator and denominator. */
const OF_GROUPS = {
  demographic_parity: (m) => [m[0][1] + m[1][1], total(m)],
  equal_opportunity: (m) => [m[1][1], m[1][0] + m[1][1]],
};

const total = (m) => m[0][0] + m[0][1] + m[1][0] + m[1][1];

function counts(formula) {
  const truth = unpack(formula.true);
  const weight = unpack(formula.weight);
  const group = unpack(formula.group);
  const nGroups = group ? group.reduce((a, b) => Math.max(a, b), 0) + 1 : 1;
  return (values) => {
    const matrices = Array.from({ length: nGroups }, () => [
      [0, 0],
      [0, 0],
    ]);
    values.forEach((f, i) => {
      matrices[group ? group[i] : 0][truth[i]][f > 0 ? 1 : 0] += weight[i];
    });
    if (!group) return OF_COUNTS[formula.name](matrices[0], formula.cost);
    const shares = matrices.map(OF_GROUPS[formula.name]).filter(([, all]) => all > 0);
    const each = shares.map(([some, all]) => some / all);
    return each.length ? Math.max(...each) - Math.min(...each) : 0;
  };
}

function hinges(formula) {
  const parts = formula.hinges.map(({ factor, offset, share }) => [factor, offset, share].map(unpack));
  return (values) => {
    let sum = 0;
    for (const [factor, offset, share] of parts) {
      values.forEach((f, i) => (sum += share[i] * Math.max(factor[i] * f + offset[i], 0)));
    }
    return sum;
  };
}

function squares(formula) {
  const target = unpack(formula.target);
  const share = unpack(formula.share);
  return (values) => values.reduce((sum, f, i) => sum + share[i] * (target[i] - f) ** 2, 0);
}

// Values that differ by less than this, relative to the largest, are equal.
const TIE = 1e-12;

/** Rows in the order of their values, the highest first, those with equal values together. */
function levels(rows, values, slack) {
  const order = rows.slice().sort((a, b) => values[b] - values[a]);
  const found = [];
  order.forEach((row, i) => {
    if (i > 0 && values[order[i - 1]] - values[row] <= slack) found.at(-1).push(row);
    else found.push([row]);
  });
  return found;
}

function auc(ranked, { weight, relevant }) {
  let [hits, misses, pairs] = [0, 0, 0];
  for (const level of ranked) {
    let [hit, miss] = [0, 0];
    for (const row of level) relevant[row] ? (hit += weight[row]) : (miss += weight[row]);
    // A relevant row is above all irrelevant ones that come later; a tie is half of one.
    pairs += miss * (hits + 0.5 * hit);
    hits += hit;
    misses += miss;
  }
  return pairs / (hits * misses);
}

function averagePrecision(ranked, { weight, relevant }) {
  let [hits, all, sum] = [0, 0, 0];
  for (const level of ranked) {
    let hit = 0;
    for (const row of level) {
      all += weight[row];
      if (relevant[row]) hit += weight[row];
    }
    hits += hit;
    if (all > 0) sum += hit * (hits / all);
  }
  return sum / hits;
}

/** The gains by the discounts of their ranks; rows with equal values share their ranks. */
function discounted(ranked, { gain, discount, norm }, q) {
  let [rank, sum] = [0, 0];
  for (const level of ranked) {
    let [gains, discounts] = [0, 0];
    for (const row of level) {
      gains += gain[row];
      discounts += discount[rank++];
    }
    sum += (gains * discounts) / level.length;
  }
  return ratio(sum, norm[q]);
}

const OF_ORDER = {
  auc,
  average_precision: averagePrecision,
  ndcg: discounted,
  precision_at_k: discounted,
};

function order(formula) {
  const own = {};
  for (const name of ["weight", "relevant", "query", "share", "gain", "discount", "norm"])
    own[name] = unpack(formula[name]);
  const queries = Array.from(own.share, () => []);
  own.query.forEach((q, row) => queries[q].push(row));
  const all = own.share.reduce((a, b) => a + b, 0);
  return (values) => {
    const slack = TIE * values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    let sum = 0;
    queries.forEach((rows, q) => {
      if (own.share[q] === 0) return;
      sum += own.share[q] * OF_ORDER[formula.name](levels(rows, values, slack), own, q);
    });
    return sum / all;
  };
}

const FORMULAS = { counts, hinges, squares, order };

/** The metric of a formula, as a function of the decision values of its rows. */
export function metricOf(formula) {
  return FORMULAS[formula.is](formula);
}
