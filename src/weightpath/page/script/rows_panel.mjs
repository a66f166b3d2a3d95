// Which instances are outside, on and inside the margin, with their coefficients and weights.

import { h, setText, shown } from "./dom.mjs";
import { SETS } from "./path.mjs";
import { Table } from "./table.mjs";

export class RowsPanel {
  constructor(app) {
    this.app = app;
    const { path } = app;
    const { wording, rowsAre } = path.data;
    this.wanted = [true, true, true];
    this.filters = SETS.map((name, code) => {
      const count = h("span", { class: "wp-tally" });
      const button = h(
        "button",
        {
          type: "button",
          class: `wp-filter wp-set-${name}`,
          "aria-pressed": "true",
          onclick: () => this.#toggle(code),
        },
        h("span", { class: "wp-swatch" }),
        `${name} `,
        count,
      );
      return { button, count };
    });
    const weight = rowsAre === "features" ? "penalty" : "weight";
    this.table = new Table({
      title: wording.rows,
      caption: `${wording.rows} with their sets, coefficients and weights at theta`,
      n: app.part.n,
      columns: [
        { title: wording.row, text: (row) => this.#name(row), key: (row) => row },
        ...this.#labelColumn(),
        { title: "set", text: (row) => SETS[this.set[row]], key: (row) => this.set[row] },
        {
          title: "coefficient",
          numeric: true,
          text: (row) => shown(this.beta[row]),
          key: (row) => this.beta[row],
        },
        {
          title: `${weight} at ${path.symbol}`,
          numeric: true,
          ...this.#number((row) => path.weight(row, app.theta)),
        },
        ...path.weightEnds.map(({ name, values }) => ({
          title: name,
          numeric: true,
          ...this.#number((row) => values[row]),
        })),
      ],
      matches: (row, words) => this.#matches(row, words),
      keep: (row) => this.wanted[this.set[row]],
      pick: (row) => app.select(this.#training(row) === app.selected ? null : this.#training(row)),
      isChosen: (row) => this.#training(row) === app.selected,
      filters: this.filters.map(({ button }) => button),
    });
    this.element = this.table.element;
    this.set = new Uint8Array(0);
    this.isNew = true;
  }

  #training(row) {
    return this.app.path.trainingRow(this.app.k, row);
  }

  #name(row) {
    return this.app.path.name(this.#training(row));
  }

  #matches(row, words) {
    return this.#name(row).toLowerCase().includes(words) || String(this.#training(row)) === words;
  }

  #number(of) {
    return { text: (row) => shown(of(this.#training(row))), key: (row) => of(this.#training(row)) };
  }

  #labelColumn() {
    const { path } = this.app;
    if (!path.classOf && !path.hasTargets) return [];
    const label = (row) => path.label(this.#training(row), this.app.theta);
    return [
      {
        title: path.classOf ? "class" : "target",
        numeric: !path.classOf,
        text: (row) => shown(label(row)),
        key: label,
      },
    ];
  }

  #toggle(code) {
    this.wanted[code] = !this.wanted[code];
    this.filters[code].button.setAttribute("aria-pressed", String(this.wanted[code]));
    this.table.page = 0;
    this.table.arrange();
  }

  draw(theme, now) {
    const { app, table } = this;
    const part = app.part;
    const { beta, position } = now.moments[app.k];
    this.beta = Float64Array.from(beta);
    if (this.set.length !== part.n) this.set = new Uint8Array(part.n);
    const counts = [0, 0, 0];
    for (let row = 0; row < part.n; row++) {
      const code = part.set(row, position[row]);
      this.set[row] = code;
      counts[code]++;
    }
    this.filters.forEach(({ count }, code) => setText(count, String(counts[code])));
    table.n = part.n;
    // Rows keep their places while theta moves, and are sorted anew when it stands.
    if (this.isNew || !now.moving) table.arrange();
    else table.show();
    this.isNew = false;
  }

  refresh() {
    this.isNew = true;
  }
}
