// Kernels as plain formulas, as in weightpath/kernels/kernel.py.

function power(base, degree) {
  let result = 1;
  for (let factor = base, left = degree; left > 0; left = Math.floor(left / 2), factor *= factor) {
    if (left % 2 === 1) result *= factor;
  }
  return result;
}

const OF_INNER = {
  linear: () => (inner) => inner,
  poly:
    ({ gamma, degree, coef0 }) =>
    (inner) =>
      power(gamma * inner + coef0, degree),
  sigmoid:
    ({ gamma, coef0 }) =>
    (inner) =>
      Math.tanh(gamma * inner + coef0),
};

/** k(A[i], B[j]) for rows of two matrices { d, x }, as a function of i and j. */
export function kernelBetween(kernel, A, B) {
  const d = A.d;
  const a = A.x;
  const b = B.x;
  if (kernel.name === "rbf") {
    const gamma = kernel.gamma;
    return (i, j) => {
      let square = 0;
      for (let k = 0, p = i * d, q = j * d; k < d; k++) {
        const difference = a[p + k] - b[q + k];
        square += difference * difference;
      }
      return Math.exp(-gamma * square);
    };
  }
  const of = OF_INNER[kernel.name](kernel);
  return (i, j) => {
    let inner = 0;
    for (let k = 0, p = i * d, q = j * d; k < d; k++) inner += a[p + k] * b[q + k];
    return of(inner);
  };
}
