// A table of many rows, of which one page is shown: sorted by any column, searched, filtered.

import { card, h, newId, setText } from "./dom.mjs";

const PAGE = 15;

export class Table {
  /**
   * columns: [{ title, text(row), key(row), numeric }], where key sorts, if given; rows are numbers
   * from 0 to n - 1. matches(row, words) searches, keep(row) filters, pick(row) is told of a press.
   */
  constructor({
    title,
    caption,
    n,
    columns,
    matches,
    keep = () => true,
    pick = null,
    isChosen = () => false,
    filters = [],
  }) {
    Object.assign(this, { n, columns, matches, keep, pick, isChosen });
    this.sort = { column: -1, down: false };
    this.page = 0;
    this.words = "";
    const { element, body } = card(title, "wp-wide");
    this.element = element;
    const search = newId();
    this.search = h("input", {
      type: "search",
      id: search,
      placeholder: "name or number",
      oninput: () => this.#searched(),
    });
    this.heads = columns.map((column, c) => this.#head(column, c));
    this.lines = Array.from({ length: PAGE }, () => this.#line());
    this.before = h("button", { type: "button", onclick: () => this.#turn(-1) }, "Previous");
    this.after = h("button", { type: "button", onclick: () => this.#turn(1) }, "Next");
    this.where = h("span", { role: "status" });
    const table = h(
      "table",
      { class: "wp-table" },
      h("caption", { class: "wp-hidden" }, caption),
      h("thead", {}, h("tr", {}, ...this.heads)),
      h("tbody", {}, ...this.lines.map((line) => line.element)),
    );
    body.append(
      h(
        "div",
        { class: "wp-filters" },
        h("label", { for: search }, "Search"),
        this.search,
        ...filters,
      ),
      h("div", { class: "wp-scroll" }, table),
      h("div", { class: "wp-pages" }, this.before, this.where, this.after),
    );
    this.order = [];
  }

  #head(column, c) {
    const sorts = column.key;
    const content = sorts
      ? h("button", { type: "button", onclick: () => this.#sortBy(c) }, column.title)
      : column.title;
    return h(
      "th",
      {
        scope: "col",
        class: column.numeric ? "wp-number" : null,
        "aria-sort": sorts ? "none" : null,
      },
      content,
    );
  }

  #line() {
    const cells = this.columns.map((column) =>
      h("td", { class: column.numeric ? "wp-number" : null }),
    );
    const line = { cells, row: -1 };
    if (this.pick) {
      // A button in the first cell, so that the keyboard reaches it.
      line.button = h("button", { type: "button", class: "wp-name" });
      cells[0].append(line.button);
    }
    line.element = h(
      "tr",
      { hidden: true, onclick: () => this.pick && line.row >= 0 && this.pick(line.row) },
      ...cells,
    );
    return line;
  }

  #sortBy(c) {
    const same = this.sort.column === c;
    this.sort = { column: same && this.sort.down ? -1 : c, down: same && !this.sort.down };
    this.heads.forEach((head, k) => {
      if (!this.columns[k].key) return;
      const sorted = k === this.sort.column;
      head.setAttribute(
        "aria-sort",
        sorted ? (this.sort.down ? "descending" : "ascending") : "none",
      );
    });
    this.arrange();
  }

  #searched() {
    this.words = this.search.value.trim().toLowerCase();
    this.page = 0;
    this.arrange();
  }

  #turn(by) {
    this.page += by;
    this.show();
  }

  /** Choose and sort the rows anew. */
  arrange() {
    this.order = [];
    for (let row = 0; row < this.n; row++) {
      if (this.keep(row) && (!this.words || this.matches(row, this.words))) this.order.push(row);
    }
    const { key } = this.columns[this.sort.column] ?? {};
    if (key) {
      const keys = new Map(this.order.map((row) => [row, key(row)]));
      const sign = this.sort.down ? -1 : 1;
      this.order.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        return x < y ? -sign : x > y ? sign : a - b;
      });
    }
    this.show();
  }

  /** Write what is on the present page. */
  show() {
    const nPages = Math.max(1, Math.ceil(this.order.length / PAGE));
    this.page = Math.min(Math.max(this.page, 0), nPages - 1);
    this.lines.forEach((line, i) => {
      const row = this.order[this.page * PAGE + i];
      line.row = row ?? -1;
      line.element.hidden = row === undefined;
      if (row === undefined) return;
      line.element.classList.toggle("wp-chosen", this.isChosen(row));
      if (line.button) line.button.setAttribute("aria-pressed", String(this.isChosen(row)));
      this.columns.forEach((column, c) =>
        setText(c === 0 && line.button ? line.button : line.cells[c], column.text(row)),
      );
    });
    this.before.disabled = this.page === 0;
    this.after.disabled = this.page + 1 >= nPages;
    const first = this.order.length ? this.page * PAGE + 1 : 0;
    const last = Math.min(this.order.length, (this.page + 1) * PAGE);
    setText(this.where, `${first}–${last} of ${this.order.length}`);
  }
}
