import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./where.mjs";

const { Tiles } = await load("tiles");
const { metricOf } = await load("metrics");
const { ramped } = await load("theme");

function packed(Type, t, values) {
  const array = Type.from(values);
  return { t, n: array.length, d: Buffer.from(array.buffer).toString("base64") };
}

const reals = (values) => packed(Float64Array, "f8", values);
const whole = (values) => packed(Uint8Array, "u1", values);

// Two triangles on the left and a rectangle on the right.
const tiles = new Tiles({
  corners: whole([3, 3, 4]),
  x: reals([0, 0.5, 0, 0.5, 0.5, 0, 0.5, 1, 1, 0.5]),
  y: reals([0, 0, 1, 0, 1, 1, 0, 0, 1, 1]),
});

test("points are in their polygons", () => {
  assert.equal(tiles.find(0.1, 0.1), 0);
  assert.equal(tiles.find(0.45, 0.9), 1);
  assert.equal(tiles.find(0.75, 0.5), 2);
  assert.equal(tiles.find(1, 1), 2);
  assert.equal(tiles.find(0, 0), 0);
});

test("areas and centres", () => {
  assert.ok(Math.abs(tiles.area(0) - 0.25) < 1e-15);
  assert.ok(Math.abs(tiles.area(2) - 0.5) < 1e-15);
  assert.deepEqual(tiles.centre(2), [0.75, 0.5]);
});

test("neighbours are beyond the edges, and none is outside the plane", () => {
  assert.deepEqual(tiles.neighbours(0), [1]);
  assert.deepEqual(tiles.neighbours(1).sort(), [0, 2]);
  assert.deepEqual(tiles.neighbours(2), [1]);
});

const counts = (name, more = {}) =>
  metricOf({ is: "counts", name, true: whole([0, 0, 1, 1, 1]), weight: reals([1, 1, 1, 1, 2]), ...more });

test("functions of the confusion matrix", () => {
  const values = [-1, 2, 3, -0.5, 0.5];
  assert.equal(counts("zero_one")(values), 2 / 6);
  assert.equal(counts("accuracy")(values), 4 / 6);
  assert.equal(counts("recall")(values), 0.75);
  assert.equal(counts("precision")(values), 0.75);
  assert.equal(counts("balanced_accuracy")(values), 0.625);
  assert.equal(counts("precision")([-1, -1, -1, -1, -1]), 0);
  assert.equal(counts("cost", { cost: [[0, 1], [5, 0]] })(values), 1);
});

test("functions of the order know ties", () => {
  const rows = {
    weight: reals([1, 1, 1, 1]),
    relevant: whole([1, 0, 1, 0]),
    query: whole([0, 0, 0, 0]),
    share: reals([1]),
  };
  const auc = metricOf({ is: "order", name: "auc", ...rows });
  assert.equal(auc([4, 3, 2, 1]), 0.75);
  assert.equal(auc([1, 1, 1, 1]), 0.5);
  assert.equal(auc([4, 1, 3, 2]), 1);
  const precision = metricOf({ is: "order", name: "average_precision", ...rows });
  assert.equal(precision([4, 3, 2, 1]), (1 + 2 / 3) / 2);
});

test("hinges and squares", () => {
  const hinge = { factor: reals([-1, 1]), offset: reals([1, 1]), share: reals([0.5, 0.5]) };
  assert.equal(metricOf({ is: "hinges", hinges: [hinge] })([0.5, 2]), 1.75);
  const squares = { is: "squares", target: reals([1, 2]), share: reals([0.5, 0.5]) };
  assert.equal(metricOf(squares)([0, 4]), 2.5);
});

test("colours of a range grow from end to end", () => {
  assert.equal(ramped(0), "rgb(68, 1, 84)");
  assert.equal(ramped(1), "rgb(253, 231, 37)");
  assert.equal(ramped(-3), ramped(0));
});
