import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./where.mjs";

const { ndcg, ranking } = await load("ranks");
const { oneVsRest, winner } = await load("judged");
const { Curve } = await load("curve");

test("documents by score, equal ones in their order", () => {
  assert.deepEqual(
    ranking([4, 7, 9], [0.5, 2, 0.5]).map(({ row }) => row),
    [7, 4, 9],
  );
});

test("NDCG as scikit-learn has it", () => {
  // sklearn.metrics.ndcg_score([[3, 2, 0, 1]], [[0.1, 0.9, 0.5, 0.5]])
  assert.ok(Math.abs(ndcg([0.1, 0.9, 0.5, 0.5], [3, 2, 0, 1]) - 0.810_081_554_321_282_3) < 1e-12);
  assert.equal(ndcg([1, 2], [0, 0]), 0);
  assert.equal(ndcg([3, 2, 1], [2, 1, 0]), 1);
});

test("votes, and what breaks their ties", () => {
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  assert.equal(winner([1], null, 2, false), 1);
  assert.equal(winner([0], null, 2, false), 0);
  assert.equal(winner([1, 1, -1], pairs, 3, false), 0);
  // One vote each: the lowest index, or the largest confidence.
  assert.equal(winner([0.1, -2, 0.3], pairs, 3, false), 0);
  assert.equal(winner([0.1, -2, 0.3], pairs, 3, true), 2);
  assert.ok(oneVsRest([1, 1, 1], pairs, 3)[0] > 2);
});

function packed(values) {
  const array = Float64Array.from(values);
  return { t: "f8", n: array.length, d: Buffer.from(array.buffer).toString("base64") };
}

const curve = (edges, coefficients, degree, points = [[], []]) =>
  new Curve({
    degree,
    edges: packed(edges),
    coefficients: packed(coefficients),
    pointTheta: packed(points[0]),
    pointValue: packed(points[1]),
  });

test("a curve is continuous from the right, with isolated points", () => {
  const steps = curve([0, 0.25, 1], [0.3, 0.1], 0, [[0.5], [0.7]]);
  assert.equal(steps.at(0.25), 0.1);
  assert.equal(steps.at(1), 0.1);
  assert.equal(steps.at(0.5), 0.7);
  assert.deepEqual(steps.range(), [0.1, 0.7]);
  assert.ok(Number.isNaN(steps.at(1.5)));
});

test("a parabola has its vertex in its range", () => {
  const parabola = curve([0, 1], [1, -2, 2], 2);
  assert.equal(parabola.at(0.5), 0.5);
  assert.deepEqual(parabola.range(), [0.5, 1]);
});
