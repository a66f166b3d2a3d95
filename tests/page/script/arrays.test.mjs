import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./where.mjs";

const { countUpTo, indexOf, runningSums, unpack } = await load("arrays");

const text = (array) => Buffer.from(array.buffer).toString("base64");

test("arrays come back from their text", () => {
  const values = new Float64Array([0, -1.5, Infinity, 1e-310]);
  assert.deepEqual(unpack({ t: "f8", n: 4, d: text(values) }), values);
  const whole = new Uint16Array([3, 65535]);
  assert.deepEqual(unpack({ t: "u2", n: 2, d: text(whole) }), whole);
  assert.equal(unpack(null), null);
});

test("an array of equal entries is written once", () => {
  assert.deepEqual(
    unpack({ t: "u1", n: 3, d: text(new Uint8Array([7])) }),
    new Uint8Array([7, 7, 7]),
  );
  assert.equal(unpack({ t: "f8", n: 0, d: "" }).length, 0);
});

test("searching finds the last of equal entries", () => {
  assert.equal(countUpTo([1, 2, 2, 3], 2), 3);
  assert.equal(countUpTo([1, 2, 2, 3], 0), 0);
  assert.equal(countUpTo([1, 2, 2, 3], 9), 4);
  assert.equal(indexOf([1, 2, 4], 4), 2);
  assert.equal(indexOf([1, 2, 4], 3), -1);
  assert.equal(indexOf([1, 2, 4], 1, 1, 3), -1);
});

test("running sums begin with zero", () => {
  assert.deepEqual(runningSums([2, 0, 3]), new Uint32Array([0, 2, 2, 5]));
});
