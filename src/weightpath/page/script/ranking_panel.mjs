// The documents of one query in the order of their scores, which change places as scores cross.

import { card, h, newId, setText, shown } from "./dom.mjs";
import { ndcg, ranking } from "./ranks.mjs";

const MOST = 25;
const LINE = 30;

/** Whether there are documents to rank. */
export function hasRanking(app) {
  return app.path.data.rowsAre === "pairs" && app.judged.canEvaluate && app.judged.y !== null;
}

export class RankingPanel {
  constructor(app) {
    this.app = app;
    const { judged } = app;
    const { element, body, tools } = card("Documents of a query");
    this.element = element;
    const names = judged.query?.names ?? ["all rows"];
    const id = newId();
    this.select = h(
      "select",
      { id, onchange: () => this.#choose() },
      ...names.map((name, q) => h("option", { value: q }, name)),
    );
    tools.append(h("label", { for: id }, "Query "), this.select);
    this.value = h("strong", { class: "wp-ndcg" });
    this.list = h("ol", { class: "wp-ranking" });
    body.append(
      h(
        "p",
        { class: "wp-note" },
        "NDCG of this query ",
        this.value,
        ". The bar is the relevance.",
      ),
      this.list,
    );
    this.most = judged.y.reduce((a, b) => Math.max(a, b), 0) || 1;
    this.#choose();
  }

  /** The rows of a query. */
  rows(q) {
    const { judged } = this.app;
    const all = Array.from({ length: judged.n }, (_, row) => row);
    return judged.query ? all.filter((row) => judged.query.code[row] === q) : all;
  }

  #choose() {
    const { judged } = this.app;
    this.own = this.rows(Number(this.select.value));
    this.items = new Map();
    for (const row of this.own) {
      const score = h("span", { class: "wp-number" });
      const bar = h("span", { class: "wp-relevance" });
      bar.style.setProperty("--share", (judged.y[row] / this.most).toFixed(3));
      const rank = h("span", { class: "wp-rank" });
      const item = h(
        "li",
        {},
        rank,
        h("span", { class: "wp-name" }, judged.name(row)),
        h("span", { class: "wp-grade" }, shown(judged.y[row])),
        bar,
        score,
      );
      this.items.set(row, { item, score, rank });
    }
    this.list.replaceChildren(...Array.from(this.items.values(), ({ item }) => item));
    this.list.style.height = `${Math.min(MOST, this.own.length) * LINE}px`;
    this.app.redraw?.();
  }

  /** The order of a query's documents at theta, with scores and their NDCG. */
  at(theta, q, moments) {
    const { judged } = this.app;
    const rows = this.rows(q);
    const [f] = judged.functions(theta, moments);
    const scores = rows.map((row) => f(row));
    const relevance = rows.map((row) => judged.y[row]);
    return { order: ranking(rows, scores), ndcg: ndcg(scores, relevance) };
  }

  draw(theme, now) {
    const { order, ndcg: value } = this.at(now.theta, Number(this.select.value), now.moments);
    setText(this.value, shown(value));
    order.forEach(({ row, score }, place) => {
      const entry = this.items.get(row);
      if (place >= MOST && entry.item.hidden) return;
      entry.item.hidden = place >= MOST;
      entry.item.style.transform = `translateY(${place * LINE}px)`;
      setText(entry.score, shown(score, 5));
      setText(entry.rank, String(place + 1));
    });
    // The order of elements is the order of reading; it changes when theta stands still.
    if (
      !now.moving &&
      order.some(({ row }, i) => this.list.children[i] !== this.items.get(row).item)
    ) {
      this.list.replaceChildren(...order.map(({ row }) => this.items.get(row).item));
    }
  }
}
