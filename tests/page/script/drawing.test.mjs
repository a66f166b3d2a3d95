import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./where.mjs";

const { scale, ticks } = await load("chart");
const { between, contour, evaluate, grid } = await load("field");
const { shown } = await load("dom");
const { rgb } = await load("theme");
const { Expansion } = await load("values");

test("ticks are round and within", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-3, 3, 3), [-2, 0, 2]);
  assert.deepEqual(ticks(2, 2, 4), [2]);
  for (const tick of ticks(1e-7, 3e-7, 4)) assert.ok(tick >= 1e-7 && tick <= 3e-7 * (1 + 1e-9));
});

test("a scale and its inverse", () => {
  const x = scale(0, 2, 10, 110);
  assert.equal(x(1), 60);
  assert.equal(x.inverse(60), 1);
});

test("numbers for reading", () => {
  assert.equal(shown(-0.5), "−0.5");
  assert.equal(shown(1 / 3), "0.333333");
  assert.equal(shown(1.5e-9), "1.50e−9");
  assert.equal(shown(NaN), "–");
  assert.equal(shown(-Infinity), "−∞");
  assert.equal(shown("<b>"), "<b>");
});

test("colours", () => assert.deepEqual(rgb("#0072b2"), [0, 114, 178]));

function packed(values) {
  const array = Float64Array.from(values);
  return { t: "f8", n: array.length, d: Buffer.from(array.buffer).toString("base64") };
}

test("all kernels on a grid are those at single points", () => {
  const x = [0.3, -0.2, 1.1, 0.7, -0.6, 0.9];
  for (const name of ["rbf", "linear", "poly", "sigmoid"]) {
    const kernel = { name, gamma: 0.7, degree: 3, coef0: 0.4 };
    const expansion = new Expansion({ rows: "instances", kernel, X: { n: 3, d: 2, x: packed(x) } });
    const terms = { index: [0, 2], coef: [1.5, -2.25], intercept: 0.125 };
    const points = grid({ x0: -1, x1: 1, y0: -2, y1: 2 }, 4, 3);
    const values = evaluate(expansion, terms, points);
    for (let j = 0; j < 3; j++) {
      for (let i = 0; i < 4; i++) {
        const at = { d: 2, n: 1, x: Float64Array.of(points.x[i], points.y[j]) };
        assert.ok(Math.abs(expansion.at(terms, at)(0) - values[j * 4 + i]) < 1e-12, name);
      }
    }
  }
});

test("between the points of a grid values are bilinear", () => {
  const values = [0, 1, 2, 3];
  assert.equal(between(values, 2, 2, 0.5, 0.5), 1.5);
  assert.equal(between(values, 2, 2, 1, 1), 3);
});

test("a line of equal value lies where the value is", () => {
  const n = 9;
  const f = (x, y) => x + 2 * y - 7;
  const values = Float64Array.from({ length: n * n }, (_, k) => f(k % n, Math.floor(k / n)));
  let pieces = 0;
  contour(values, n, n, 0.5, (x0, y0, x1, y1) => {
    pieces += 1;
    assert.ok(Math.abs(f(x0, y0) - 0.5) < 1e-12 && Math.abs(f(x1, y1) - 0.5) < 1e-12);
  });
  assert.ok(pieces >= 7);
});

test("a saddle has two pieces that do not cross", () => {
  for (const [a, b] of [
    [1, -0.5],
    [0.5, -1],
  ]) {
    const found = [];
    contour([a, b, b, a], 2, 2, 0, (...piece) => found.push(piece));
    assert.equal(found.length, 2);
    // Each cuts off one corner: its ends are on neighbouring sides.
    const corners = found.map(
      ([x0, y0, x1, y1]) => `${Math.round((x0 + x1) / 2)}${Math.round((y0 + y1) / 2)}`,
    );
    assert.equal(new Set(corners).size, 2);
  }
});
