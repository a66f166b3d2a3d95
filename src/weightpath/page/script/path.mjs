// A whole path: its subproblems, weights and names, at any theta.

import { unpack } from "./arrays.mjs";
import { Part } from "./part.mjs";
import { Expansion } from "./values.mjs";

export const SETS = ["outside", "margin", "inside"];

/** How much of each training row is in the model: 0 nothing, 1 on a margin, 2 anything else. */
export function rolesOf(path, moments) {
  const found = new Uint8Array(path.n);
  path.parts.forEach((part, k) => {
    const { beta, position } = moments[k];
    for (let row = 0; row < part.n; row++) {
      const own = part.rows ? part.rows[row] : row;
      if (part.set(row, position[row]) === 1) found[own] = 1;
      else if (beta[row] !== 0 && found[own] === 0) found[own] = 2;
    }
  });
  return found;
}

export class Path {
  constructor(data) {
    this.data = data;
    this.n = data.n;
    this.end = data.end;
    this.parts = data.parts.map((part) => new Part(part));
    this.expansion = new Expansion(data.expansion);
    this.startWeight = unpack(data.weights.start);
    this.endWeight = unpack(data.weights.end);
    this.straight = data.weights.straight;
    this.classOf = unpack(data.labels?.class);
    this.targetStart = unpack(data.labels?.target);
    this.targetEnd = unpack(data.labels?.targetEnd);
    this.hasTargets = this.targetStart !== null;
    this.symbol = "θ";
    // Theta at which panels look to find out how much room they need.
    this.probes = [0, 0.25, 0.5, 0.75, 1].map((share) => share * data.end);
    this.weightEnds = [
      { name: "old", values: this.startWeight, colour: 2 },
      { name: "new", values: this.endWeight, colour: 1 },
    ];
  }

  /** Half the width of the tube of a regression; zero if it has none. */
  tube(theta) {
    const { tube } = this.data;
    return tube ? (1 - theta) * tube[0] + theta * tube[1] : 0;
  }

  /** The solutions of all subproblems; their arrays change with the next call. */
  moments(theta) {
    return this.parts.map((part) => part.moment(theta));
  }

  /** The weight of a row; not a number where weights do not move on straight lines. */
  weight(row, theta) {
    if (theta === 0) return this.startWeight[row];
    if (theta === 1) return this.endWeight[row];
    if (!this.straight) return NaN;
    return (1 - theta) * this.startWeight[row] + theta * this.endWeight[row];
  }

  /** What a row is called, with its number where it has a name. */
  name(row) {
    const { names, wording } = this.data;
    const { first, second, rowsAre } = this.expansion;
    if (rowsAre === "pairs") {
      const document = (d) => names?.[d] || `${d}`;
      return `${document(first[row])} above ${document(second[row])}`;
    }
    return names?.[row] || `${wording.row} ${row}`;
  }

  /** The target of a row, or its class, as text; empty if there is none. */
  label(row, theta) {
    if (this.classOf) return this.data.outputs.classes[this.classOf[row]];
    if (!this.targetStart) return "";
    return (1 - theta) * this.targetStart[row] + theta * this.targetEnd[row];
  }

  /** The training row of a row of a subproblem. */
  trainingRow(k, row) {
    return this.parts[k].rows ? this.parts[k].rows[row] : row;
  }

  /** Everything at theta in new plain arrays, in the form of SolutionPath.at. */
  at(theta) {
    const solution = { theta, dualCoef: [], intercept: [], weights: new Float64Array(this.n) };
    for (const name of SETS) solution[name] = [];
    this.parts.forEach((part, k) => {
      const moment = part.moment(theta);
      const coef = new Float64Array(this.n);
      const sets = [[], [], []];
      for (let row = 0; row < part.n; row++) {
        const own = this.trainingRow(k, row);
        coef[own] = moment.beta[row];
        sets[part.set(row, moment.position[row])].push(own);
        solution.weights[own] = this.weight(own, theta);
      }
      solution.dualCoef.push(coef);
      solution.intercept.push(this.expansion.intercept(moment));
      SETS.forEach((name, code) => solution[name].push(sets[code]));
    });
    return solution;
  }
}
