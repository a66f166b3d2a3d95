// Predictions of single rows at theta, with decision values where the page can compute them.

import { h, shown } from "./dom.mjs";
import { Table } from "./table.mjs";

export class PredictionsPanel {
  constructor(app) {
    this.app = app;
    const { judged, path } = app;
    const { labels } = judged;
    const truth = (row) => (labels ? labels.classes[labels.truth[row]] : judged.y[row]);
    const hasTruth = labels ? labels.truth !== null : judged.y !== null;
    this.onlyWrong = false;
    const wrong = h(
      "button",
      {
        type: "button",
        class: "wp-filter",
        "aria-pressed": "false",
        onclick: () => this.#toggle(wrong),
      },
      "only wrong ones",
    );
    const columns = [{ title: "row", text: (row) => judged.name(row), key: (row) => row }];
    if (hasTruth)
      columns.push({
        title: "true",
        numeric: !labels,
        text: (row) => shown(truth(row)),
        key: truth,
      });
    if (labels)
      columns.push({
        title: "predicted",
        text: (row) => this.#label(row),
        key: (row) => this.#label(row),
      });
    if (judged.canEvaluate) {
      const title = labels ? "decision value" : "predicted";
      columns.push({
        title,
        numeric: true,
        text: (row) => this.#value(row),
        key: path.data.pairs ? null : (row) => this.functions[0](row),
      });
    }
    this.table = new Table({
      title: judged.isOwn ? "Predictions of the training rows" : "Predictions",
      caption: "Predictions of single rows at theta",
      n: judged.n,
      columns,
      matches: (row, words) =>
        judged.name(row).toLowerCase().includes(words) || String(row) === words,
      keep: (row) => !this.onlyWrong || this.current[row] !== labels.truth[row],
      filters: labels && hasTruth ? [wrong] : [],
    });
    this.element = this.table.element;
  }

  #toggle(button) {
    this.onlyWrong = !this.onlyWrong;
    button.setAttribute("aria-pressed", String(this.onlyWrong));
    this.table.page = 0;
    this.table.arrange();
  }

  #label(row) {
    return this.app.judged.labels.classes[this.current[row]];
  }

  #value(row) {
    const value = this.app.judged.shown(this.functions, row);
    return Array.isArray(value) ? value.map((one) => shown(one, 4)).join("  ") : shown(value);
  }

  draw(theme, now) {
    const { judged } = this.app;
    if (judged.labels) this.current = judged.labels.at(now.theta);
    if (judged.canEvaluate) this.functions = judged.functions(now.theta, now.moments);
    if (this.table.order.length === 0 || !now.moving) this.table.arrange();
    else this.table.show();
  }
}
