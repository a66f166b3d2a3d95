// Arrays from text: base64 of their bytes, as packing.py writes them; and searching in them.

const TYPES = { f8: Float64Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

/** The bytes of a base64 text. */
function bytes(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found;
}

/** The typed array of { t: type, n: length, d: text }; null stays null. */
export function unpack(packed) {
  if (packed === null || packed === undefined) return null;
  const raw = bytes(packed.d);
  const Type = TYPES[packed.t];
  const data = new Type(raw.buffer, 0, raw.byteLength / Type.BYTES_PER_ELEMENT);
  if (data.length === packed.n) return data;
  // All entries are the same: only the first is written.
  return new Type(packed.n).fill(data[0]);
}

/** How many entries of an increasing array are at most x (numpy: searchsorted, side="right"). */
export function countUpTo(array, x, from = 0, to = array.length) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where x stands in an increasing stretch of an array; -1 if it does not. */
export function indexOf(array, x, from = 0, to = array.length) {
  const found = countUpTo(array, x, from, to) - 1;
  return found >= from && array[found] === x ? found : -1;
}

/** Sums of all entries before each, and of all: n + 1 numbers. */
export function runningSums(counts) {
  const sums = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) sums[i + 1] = sums[i] + counts[i];
  return sums;
}
