// Reads { data, theta } from standard input; writes what a page has at each theta.

import { readFileSync } from "node:fs";
import { load } from "./where.mjs";

const { Path } = await load("path");
const { Judged } = await load("judged");
const { Curve } = await load("curve");
const { canCheck, violation } = await load("check");

const { data, theta } = JSON.parse(readFileSync(0, "utf-8"));
const path = new Path(data.path);
const judged = new Judged(data.judged, path);
const curve = data.curve && new Curve(data.curve);

const found = theta.map((at) => {
  const solution = path.at(at);
  return {
    coef: solution.dualCoef.map((row) => Array.from(row)),
    intercept: solution.intercept,
    weights: Array.from(solution.weights),
    sets: [solution.outside, solution.margin, solution.inside],
    curve: curve && curve.at(at),
    values: judged.canEvaluate ? judged.decisionValues(at) : null,
    predictions: judged.labels || judged.canEvaluate ? judged.predictions(at) : null,
    confusion: judged.labels ? judged.confusion(at).map((row) => Array.from(row)) : null,
    violation: canCheck(path)
      ? Math.max(...path.parts.map((part) => violation(path, part, part.moment(at))))
      : null,
  };
});
const courses = path.parts.map((part) =>
  Array.from({ length: Math.min(part.n, 40) }, (_, row) =>
    part.course(row).map((corner) => [corner.theta, corner.value]),
  ),
);
process.stdout.write(JSON.stringify({ found, courses }));
