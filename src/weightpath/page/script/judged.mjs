// Rows that are predicted: their classes from the list of all changes, their values from sums.

import { countUpTo, unpack } from "./arrays.mjs";
import { Products } from "./products.mjs";
import { matrix } from "./values.mjs";

// Values of a detector are raised by this fraction of the bias: zero, up to rounding, is an inlier.
const LIFT = 1e-11;

/** Predicted classes at any theta, from those at the start and all changes, by theta. */
class Labels {
  constructor(data) {
    this.classes = data.classes;
    this.truth = unpack(data.true);
    this.current = Uint8Array.from(unpack(data.initial));
    this.theta = unpack(data.theta);
    this.row = unpack(data.row);
    this.before = unpack(data.before);
    this.after = unpack(data.after);
    this.isolated = new Map(data.isolated.map((one) => [one.theta, unpack(one.label)]));
    this.nDone = 0;
  }

  at(theta) {
    const alone = this.isolated.get(theta);
    if (alone) return alone;
    const count = countUpTo(this.theta, theta);
    const { current, row, before, after } = this;
    while (this.nDone < count) current[row[this.nDone]] = after[this.nDone++];
    while (this.nDone > count) current[row[--this.nDone]] = before[this.nDone];
    return current;
  }
}

/** Predicted classes anywhere, by the signs of decision values. */
class SignLabels {
  constructor(data, judged) {
    this.classes = data.classes;
    this.truth = unpack(data.true);
    this.judged = judged;
    this.current = new Uint8Array(judged.n);
  }

  at(z) {
    const { path, n } = this.judged;
    const moments = path.moments(z);
    const values = this.judged.values(z, moments);
    const { detects } = path.data.outputs;
    const lift = LIFT * Math.abs(moments[0].bias);
    for (let i = 0; i < n; i++) {
      this.current[i] = detects ? values[i] + lift >= 0 : values[i] > 0;
    }
    return this.current;
  }
}

export class Judged {
  constructor(data, path) {
    this.path = path;
    this.n = data.n;
    this.isOwn = data.own;
    this.X = matrix(data.X) ?? (data.own ? path.expansion.X : null);
    this.y = unpack(data.y);
    this.weight = unpack(data.weight);
    this.products = path.isPlane ? Products.of(data, this.X, path) : null;
    this.labels = data.labels && this.#labels(data.labels);
    this.query = data.qid && { code: unpack(data.qid.code), names: data.qid.names };
    this.names = data.own && path.expansion.rowsAre !== "features" ? path.data.names : data.names;
  }

  #labels(data) {
    if (data.initial) return new Labels(data);
    return this.canEvaluate ? new SignLabels(data, this) : null;
  }

  get canEvaluate() {
    return this.products !== null || (this.X !== null && this.path.expansion.canEvaluate);
  }

  name(row) {
    return this.names?.[row] || `row ${row}`;
  }

  /** The weight of the rows of each class (the first index) that each class is predicted for. */
  confusion(theta) {
    const { classes, truth } = this.labels;
    const label = this.labels.at(theta);
    const sums = classes.map(() => new Float64Array(classes.length));
    for (let i = 0; i < this.n; i++) {
      sums[truth ? truth[i] : 0][label[i]] += this.weight ? this.weight[i] : 1;
    }
    return truth ? sums : sums.slice(0, 1);
  }

  /** The values of all decision functions at row i, as a function of i. */
  functions(theta, moments = this.path.moments(theta)) {
    const { expansion, parts } = this.path;
    return parts.map((part, k) => {
      const terms = expansion.terms(part, moments[k]);
      return this.products ? this.products.at(terms) : expansion.at(terms, this.X);
    });
  }

  /** The values of the one decision function at all rows; kept until the point changes. */
  values(z, moments) {
    if (this.known?.z.every((value, k) => value === z[k])) return this.known.values;
    const [f] = this.functions(z, moments);
    const values = Float64Array.from({ length: this.n }, (_, row) => f(row));
    this.known = { z: [...z], values };
    return values;
  }

  /** What the model shows of given functions at one row: one number, or one for each class. */
  shown(functions, row) {
    const { outputs, pairs } = this.path.data;
    const values = functions.map((f) => f(row));
    if (!pairs) return values[0];
    return outputs.oneVsRest ? oneVsRest(values, pairs, outputs.classes.length) : values;
  }

  /** Decision values of all rows at theta. */
  decisionValues(theta) {
    const functions = this.functions(theta);
    return Array.from({ length: this.n }, (_, row) => this.shown(functions, row));
  }

  /** Predictions of all rows: classes, values or scores, or inlier and outlier, as texts or numbers. */
  predictions(theta) {
    if (!this.labels) return this.decisionValues(theta);
    return Array.from(this.labels.at(theta), (code) => this.labels.classes[code]);
  }
}

/** Votes of the pairwise functions plus summed confidences, squeezed so that they only break ties. */
export function oneVsRest(values, pairs, nClasses) {
  const votes = new Float64Array(nClasses);
  const confidence = new Float64Array(nClasses);
  pairs.forEach(([a, b], k) => {
    votes[values[k] > 0 ? a : b] += 1;
    confidence[a] += values[k];
    confidence[b] -= values[k];
  });
  return Array.from(votes, (vote, c) => vote + confidence[c] / (3 * (Math.abs(confidence[c]) + 1)));
}

/** The winner of the votes; the lowest index where votes are equal, unless values decide. */
export function winner(values, pairs, nClasses, breakTies) {
  if (!pairs) return values[0] > 0 ? 1 : 0;
  if (breakTies) return largest(oneVsRest(values, pairs, nClasses));
  const votes = new Float64Array(nClasses);
  pairs.forEach(([a, b], k) => (votes[values[k] > 0 ? a : b] += 1));
  return largest(votes);
}

function largest(values) {
  let best = 0;
  for (let c = 1; c < values.length; c++) if (values[c] > values[best]) best = c;
  return best;
}
