// Reads { data, z } from standard input; writes what the page of a map has at each z.

import { readFileSync } from "node:fs";
import { load } from "./where.mjs";

const { Plane } = await load("plane");
const { Judged } = await load("judged");
const { Surface } = await load("surface");
const { canCheck, violation } = await load("check");

const { data, z } = JSON.parse(readFileSync(0, "utf-8"));
const plane = new Plane(data.plane);
const judged = new Judged(data.judged, plane);
const surface = data.surface && new Surface(data.surface, plane, judged);

const found = z.map((at) => {
  const solution = plane.at(at);
  return {
    region: solution.region,
    coef: Array.from(solution.dualCoef),
    intercept: solution.intercept,
    weights: Array.from(solution.weights),
    sets: [solution.outside, solution.margin, solution.inside],
    surface: surface && surface.at(at),
    values: judged.canEvaluate ? judged.decisionValues(at) : null,
    predictions: judged.canEvaluate ? judged.predictions(at) : null,
    confusion: judged.labels ? judged.confusion(at).map((row) => Array.from(row)) : null,
    violation: canCheck(plane) ? violation(plane, plane.part, plane.part.moment(at)) : null,
  };
});
const regions = Array.from({ length: plane.tiles.n }, (_, k) => [
  plane.tiles.area(k),
  plane.sets(k)[1],
  plane.region(plane.fromUnit(plane.tiles.centre(k))),
]);
process.stdout.write(JSON.stringify({ found, regions }));
