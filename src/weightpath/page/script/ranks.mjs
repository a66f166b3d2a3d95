// Documents in the order of their scores, and the discounted gain of that order.

/** Indices of the rows, the highest score first; rows of equal scores keep their order. */
export function ranking(rows, scores) {
  return rows
    .map((row, i) => ({ row, score: scores[i] }))
    .sort((a, b) => b.score - a.score || a.row - b.row);
}

/**
 * The normalised discounted cumulative gain of all rows, as scikit-learn's ndcg_score: the gain is
 * the relevance, the discount 1 / log2(rank + 1); rows of equal scores share their discounts. Zero
 * without a relevant row.
 */
export function ndcg(scores, relevance) {
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
  const discount = (rank) => 1 / Math.log2(rank + 2);
  let found = 0;
  for (let first = 0; first < order.length;) {
    let last = first;
    let gain = 0;
    let share = 0;
    for (; last < order.length && scores[order[last]] === scores[order[first]]; last++) {
      gain += relevance[order[last]];
      share += discount(last);
    }
    found += (gain * share) / (last - first);
    first = last;
  }
  const best = Array.from(relevance)
    .sort((a, b) => b - a)
    .reduce((sum, gain, rank) => sum + gain * discount(rank), 0);
  return best > 0 ? found / best : 0;
}
