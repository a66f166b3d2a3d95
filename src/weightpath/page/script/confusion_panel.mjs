// The confusion matrix at theta, counted from the list of all changes of predicted classes.

import { card, h, setText, shown } from "./dom.mjs";

// With more classes than this the table is small, without shares.
const MANY = 5;

export class ConfusionPanel {
  constructor(app) {
    this.app = app;
    const { judged } = app;
    const { classes, truth } = judged.labels;
    const title = truth ? "Confusion matrix" : "Counts of predictions";
    const { element, body } = card(title);
    this.element = element;
    const head = h(
      "tr",
      {},
      h("td", {}),
      ...classes.map((name) => h("th", { scope: "col" }, name)),
    );
    this.cells = (truth ? classes : ["rows"]).map(() => classes.map(() => this.#cell()));
    const rows = this.cells.map((cells, c) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, truth ? classes[c] : "rows"),
        ...cells.map((cell) => cell.element),
      ),
    );
    const caption = truth
      ? "True classes in rows, predicted ones in columns"
      : "How many rows get each prediction";
    const table = h(
      "table",
      { class: classes.length > MANY ? "wp-confusion wp-compact" : "wp-confusion" },
      h("caption", {}, caption),
      h("thead", {}, head),
      h("tbody", {}, ...rows),
    );
    this.note = h("p", { class: "wp-note" });
    body.append(h("div", { class: "wp-scroll" }, table), this.note);
  }

  #cell() {
    const number = h("span", { class: "wp-count" });
    const share = h("span", { class: "wp-share" });
    return { element: h("td", {}, number, share), number, share };
  }

  draw(theme, now) {
    const { judged } = this.app;
    const sums = judged.confusion(now.theta);
    let right = 0;
    let all = 0;
    sums.forEach((row, i) => {
      const total = row.reduce((a, b) => a + b, 0);
      all += total;
      right += judged.labels.truth ? row[i] : 0;
      row.forEach((value, j) => {
        const { element, number, share } = this.cells[i][j];
        const fraction = total > 0 ? value / total : 0;
        setText(number, shown(value));
        setText(share, `${(100 * fraction).toFixed(1)} %`);
        element.style.setProperty("--share", fraction.toFixed(3));
        element.className = i === j || !judged.labels.truth ? "wp-right" : "wp-wrong";
        element.classList.toggle("wp-none", value === 0);
      });
    });
    const which = judged.isOwn ? "training rows" : "given rows";
    const accuracy = judged.labels.truth
      ? `${(100 * (right / all)).toFixed(2)} % of them are right. `
      : "";
    setText(this.note, `${judged.n} ${which}${judged.weight ? ", weighted" : ""}. ${accuracy}`);
  }
}
