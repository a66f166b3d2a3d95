// Coefficients along the path, the size of the margin, and the events: one drawing, three bands.

import { Canvas, axes, cursor, dot, line, scale } from "./chart.mjs";
import { card, h, newId, shown } from "./dom.mjs";

const N_LINES = 12;
// Theta at which all rows are compared to find those that move most.
const N_PROBES = 33;
const LEFT = 52;
const RIGHT = 12;
// How near to a mark of an event a press must be, in pixels.
const NEAR = 8;

/** Rows of a subproblem whose coefficients go the longest way, in increasing order. */
export function mostMoving(part, end, count, signed) {
  const way = new Float64Array(part.n);
  const last = new Float64Array(part.n);
  for (let k = 0; k < N_PROBES; k++) {
    const { beta } = part.moment((end * k) / (N_PROBES - 1));
    for (let row = 0; row < part.n; row++) {
      const height = signed ? beta[row] : Math.abs(beta[row]);
      if (k > 0) way[row] += Math.abs(height - last[row]);
      last[row] = height;
    }
  }
  return Array.from(way.keys())
    .filter((row) => way[row] > 0)
    .sort((a, b) => way[b] - way[a])
    .slice(0, count)
    .sort((a, b) => a - b);
}

export class CoefficientPanel {
  constructor(app) {
    this.app = app;
    this.wording = app.path.data.wording;
    const { element, body } = card("Coefficients and events");
    this.element = element;
    this.canvas = new Canvas({
      label: `${this.wording.coefficient} along theta, the size of the margin and all events`,
      height: 340,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, size, theme, now),
      describe: (now) => this.#describe(now),
    });
    this.canvas.onPress((x, y, event) => this.#press(x, y, event));
    this.legend = h("ul", { class: "wp-legend", "aria-label": "Lines" });
    this.note = h(
      "p",
      { class: "wp-note", id: newId() },
      "Press in the picture to go there; press a mark at the bottom to read that event.",
    );
    body.append(this.canvas.element, this.legend, this.note);
    this.choose();
  }

  /** Choose the lines of the present subproblem, and those of the row that is selected. */
  choose() {
    const { app, wording } = this;
    const part = app.part;
    if (this.chosenOf !== part) {
      this.moving = mostMoving(part, app.path.end, N_LINES, wording.signed);
      this.chosenOf = part;
      this.courses = new Map();
    }
    this.rows = [...this.moving];
    const own = app.selectedOwnRow;
    if (own !== null && !this.rows.includes(own)) this.rows.push(own);
    for (const row of this.rows) {
      if (!this.courses.has(row)) this.courses.set(row, part.course(row));
    }
    this.canvas.stale = true;
    this.#list();
  }

  #height(value) {
    return this.wording.signed ? value : Math.abs(value);
  }

  #style(i) {
    const n = this.app.theme.colours.length;
    return { colour: this.app.theme.colours[i % n], dash: i % (2 * n) < n ? [] : [5, 3] };
  }

  #list() {
    const { app } = this;
    const items = this.rows.map((row, i) => {
      const training = app.path.trainingRow(app.k, row);
      const chosen = training === app.selected;
      const swatch = h("span", {
        class: `wp-swatch wp-line${i % 6}${i % 12 < 6 ? "" : " wp-dashed"}`,
      });
      const button = h(
        "button",
        {
          type: "button",
          "aria-pressed": String(chosen),
          onclick: () => app.select(chosen ? null : training),
        },
        swatch,
        app.path.name(training),
      );
      return h("li", {}, button);
    });
    this.legend.replaceChildren(...items);
  }

  #layout({ width, height }) {
    const { app } = this;
    let low = 0;
    let high = 0;
    for (const course of this.courses.values()) {
      for (const { value } of course) {
        low = Math.min(low, this.#height(value));
        high = Math.max(high, this.#height(value));
      }
    }
    const box = { left: LEFT, right: width - RIGHT, top: 22, bottom: Math.round(height * 0.6) };
    const margin = { ...box, top: box.bottom + 26, bottom: height - 62 };
    const rug = { ...box, top: height - 54, bottom: height - 36 };
    const part = app.part;
    let most = 1;
    for (let s = 0; s < part.nSegments; s++)
      most = Math.max(most, part.offset[s + 1] - part.offset[s]);
    const x = scale(0, app.path.end, box.left, box.right);
    const pad = 0.04 * (high - low || 1);
    const y = scale(low < 0 ? low - pad : low, high + pad, box.bottom, box.top);
    return { box, margin, rug, x, y, size: scale(0, most * 1.1, margin.bottom, margin.top) };
  }

  #paint(context, size, theme) {
    const place = (this.place = this.#layout(size));
    const { box, margin, rug, x, y } = place;
    axes(context, theme, box, x, y, { x: null, y: this.wording.coefficient });
    this.rows.forEach((row, i) => this.#line(context, row, i, 1.6, 1));
    axes(context, theme, margin, x, place.size, { x: null, y: this.wording.margin });
    this.#margins(context, theme, place);
    this.#rug(context, theme, rug, x);
    axes(context, theme, { ...rug, top: rug.bottom }, x, null, { x: "θ" });
    context.fillStyle = theme.faint;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText("events", box.left - 6, (rug.top + rug.bottom) / 2);
  }

  #line(context, row, i, width, alpha) {
    const { x, y } = this.place;
    const { colour, dash } = this.#style(i);
    context.save();
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dash);
    context.beginPath();
    this.courses.get(row).forEach(({ theta, value }, k) => {
      const px = x(theta);
      const py = y(this.#height(value));
      if (k === 0) context.moveTo(px, py);
      else context.lineTo(px, py);
    });
    context.stroke();
    context.restore();
  }

  #margins(context, theme, { margin, x, size }) {
    const part = this.app.part;
    context.strokeStyle = theme.colours[0];
    context.lineWidth = 1.25;
    context.beginPath();
    for (let s = 0; s < part.nSegments; s++) {
      const height = size(part.offset[s + 1] - part.offset[s]);
      if (s === 0) context.moveTo(x(part.theta[s]), height);
      else context.lineTo(x(part.theta[s]), height);
      context.lineTo(Math.min(x(part.theta[s + 1]), margin.right), height);
    }
    context.stroke();
  }

  #rug(context, theme, rug, x) {
    const part = this.app.part;
    context.fillStyle = theme.colours[1];
    const alpha = Math.max(0.12, Math.min(0.7, 120 / Math.max(1, part.nEvents)));
    context.globalAlpha = alpha;
    for (let e = 0; e < part.nEvents; e++) {
      if (part.eventTheta[e] > this.app.path.end) break;
      context.fillRect(x(part.eventTheta[e]) - 0.5, rug.top, 1, rug.bottom - rug.top);
    }
    context.globalAlpha = 1;
  }

  #over(context, size, theme, now) {
    const { box, rug, x, y } = this.place;
    const { app } = this;
    const own = app.selectedOwnRow;
    const chosen = own === null ? -1 : this.rows.indexOf(own);
    if (chosen >= 0) this.#line(context, own, chosen, 4, 0.55);
    const px = x(now.theta);
    cursor(context, theme, px, box.top, rug.bottom);
    if (app.event !== null) {
      const at = x(app.part.eventTheta[app.event]);
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      line(context, at, rug.top - 4, at, rug.bottom + 3);
    }
    const { beta } = now.moments[app.k];
    this.rows.forEach((row, i) => {
      dot(
        context,
        px,
        y(this.#height(beta[row])),
        row === own ? 5 : 3.5,
        this.#style(i).colour,
        theme.card,
      );
    });
  }

  #describe(now) {
    const { app } = this;
    const { beta } = now.moments[app.k];
    const values = this.rows.map(
      (row) =>
        `${app.path.name(app.path.trainingRow(app.k, row))} ${shown(this.#height(beta[row]), 4)}`,
    );
    return `${this.wording.coefficient} at theta ${shown(now.theta)}: ${values.join(", ")}`;
  }

  #press(x, y, event) {
    const { app } = this;
    const { rug, x: across } = this.place;
    if (y < rug.top - 6) {
      app.go(across.inverse(x));
      return;
    }
    if (event.type !== "pointerdown") return;
    const found = app.nearestEvent(across.inverse(x));
    if (found !== null && Math.abs(across(app.part.eventTheta[found]) - x) <= NEAR)
      app.showEvent(found);
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
  }

  refresh() {
    this.canvas.stale = true;
  }
}
