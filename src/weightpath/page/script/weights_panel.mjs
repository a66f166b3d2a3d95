// Weights at the ends of a path, or at corners of a plane, and at the present point.

import { Canvas, axes, dot, scale } from "./chart.mjs";
import { card, h } from "./dom.mjs";

// Rows that are drawn; of more, so many evenly among them.
const MOST = 1500;

export class WeightsPanel {
  constructor(app) {
    this.app = app;
    const { wording, rowsAre } = app.path.data;
    const { element, body } = card(rowsAre === "features" ? "Penalties" : "Weights");
    this.element = element;
    const n = app.path.n;
    const step = Math.max(1, Math.ceil(n / MOST));
    this.rows = Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
    this.canvas = new Canvas({
      label: "Old, new and present weights",
      height: 220,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
    });
    const entry = (mark, text) => h("li", {}, h("span", { class: `wp-swatch ${mark}` }), text);
    const some = step > 1 ? `; every ${step}th ${wording.row} is drawn` : "";
    body.append(
      this.canvas.element,
      h(
        "ul",
        { class: "wp-legend wp-plain" },
        ...app.path.weightEnds.map(({ name, colour }) => entry(`wp-fill${colour}`, name)),
        entry("wp-dot0", `at ${app.path.symbol}${some}`),
      ),
    );
  }

  #paint(context, { width, height }, theme) {
    const { path } = this.app;
    const { wording } = path.data;
    let high = 0;
    for (const { values } of path.weightEnds)
      for (const row of this.rows) high = Math.max(high, values[row]);
    const box = { left: 52, right: width - 12, top: 12, bottom: height - 36 };
    const x = scale(-0.5, path.n - 0.5, box.left, box.right);
    const y = scale(0, high * 1.05 || 1, box.bottom, box.top);
    this.place = { x, y };
    axes(context, theme, box, x, y, { x: wording.row });
    const radius = this.#radius();
    context.globalAlpha = 0.5;
    for (const { values, colour } of path.weightEnds)
      for (const row of this.rows) dot(context, x(row), y(values[row]), radius, theme.colours[colour]);
    context.globalAlpha = 1;
  }

  #radius() {
    return this.rows.length > 300 ? 1.4 : 2.6;
  }

  #over(context, theme, now) {
    const { path, selected } = this.app;
    const { x, y } = this.place;
    const radius = this.#radius();
    context.fillStyle = theme.colours[0];
    for (const row of this.rows) {
      const weight = path.weight(row, now.theta);
      if (!Number.isNaN(weight))
        context.fillRect(x(row) - radius, y(weight) - radius, 2 * radius, 2 * radius);
    }
    if (selected !== null && selected < path.n) {
      dot(
        context,
        x(selected),
        y(path.weight(selected, now.theta)),
        5,
        theme.colours[0],
        theme.accent,
      );
    }
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
  }

  refresh() {
    this.canvas.stale = true;
  }
}
