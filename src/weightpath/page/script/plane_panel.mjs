// The plane with its regions: the one that holds the point, the one under the pointer, and where a
// metric is best. Mouse, finger and arrow keys move the point.

import { Canvas, axes, scale } from "./chart.mjs";
import { card, h, newId, setText, shown } from "./dom.mjs";
import { SETS } from "./path.mjs";
import { ramp, ramped } from "./theme.mjs";

// With more regions than this the lines between them would be all that is seen.
const LINES_UP_TO = 6000;
const SMALL_STEP = 0.005;
const LARGE_STEP = 0.05;
// Names that are written of each set under the pointer.
const NAMES = 5;

export class PlanePanel {
  constructor(app) {
    this.app = app;
    const { element, body, tools } = card("The plane");
    this.element = element;
    this.colourBy = app.surface ? "metric" : "margin";
    this.under = null;
    this.canvas = new Canvas({
      label: "The plane with its regions",
      height: 430,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
      describe: (now) => this.#describe(now),
    });
    this.#listen();
    if (app.surface) this.#addTools(tools);
    this.hover = h("p", { class: "wp-note wp-under" });
    this.low = h("span", {});
    this.high = h("span", {});
    this.what = h("span", {});
    this.bar = h("span", { class: "wp-ramp" });
    body.append(
      this.canvas.element,
      h("p", { class: "wp-note wp-scale" }, this.what, this.low, this.bar, this.high),
      ...this.#best(),
      this.hover,
    );
  }

  #addTools(tools) {
    const id = newId();
    const { surface } = this.app;
    this.choice = h(
      "select",
      { id, onchange: () => this.#choose() },
      h("option", { value: "metric" }, surface.label),
      h("option", { value: "margin" }, "size of the margin"),
    );
    const { best } = surface;
    const go = () => this.app.go(best.z);
    if (best) tools.append(h("button", { type: "button", class: "wp-best", onclick: go }, "Go to the best z"));
    tools.append(h("label", { for: id }, "Colours"), this.choice);
  }

  #choose() {
    this.colourBy = this.choice.value;
    this.canvas.stale = true;
    this.app.redraw();
  }

  #best() {
    const { surface } = this.app;
    if (!surface) return [];
    this.value = h("strong", { class: "wp-surface-value" });
    const { best, label, greaterIsBetter } = surface;
    const line = h("p", { class: "wp-note" }, `${label} here `, this.value);
    if (best)
      line.append(`; ${greaterIsBetter ? "highest" : "lowest"} ${shown(best.value)} in the marked polygon.`);
    return [line];
  }

  #listen() {
    const { app, canvas } = this;
    const { element } = canvas;
    canvas.onPress((x, y) => app.go(this.#z(x, y)));
    element.classList.add("wp-plane");
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "application");
    element.setAttribute("aria-roledescription", "plane; arrow keys move the point");
    element.addEventListener("pointermove", (event) => {
      if (!this.place) return;
      const box = element.getBoundingClientRect();
      this.#point(app.plane.region(this.#z(event.clientX - box.left, event.clientY - box.top)));
    });
    element.addEventListener("pointerleave", () => this.#point(null));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  #point(region) {
    if (region === this.under) return;
    this.under = region;
    this.app.redraw();
  }

  /** The point of the plane at a pixel. */
  #z(px, py) {
    const { x, y } = this.place;
    return this.app.plane.clipped([x.inverse(px), y.inverse(py)]);
  }

  #key(event) {
    const { app } = this;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const size = event.shiftKey ? LARGE_STEP : SMALL_STEP;
    const moves = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = moves[event.key];
    if (way) {
      const { bounds } = app.plane;
      app.go(app.z.map((value, k) => value + size * way[k] * (bounds[k][1] - bounds[k][0])));
    } else if (event.key === "Enter" && app.surface?.best) app.go(app.surface.best.z);
    else return;
    event.preventDefault();
  }

  #paint(context, { width, height }, theme) {
    const { plane } = this.app;
    const [[left, right], [bottom, top]] = plane.bounds;
    const [first, second] = plane.data.axes;
    const box = { left: 48, right: width - 12, top: 22, bottom: height - 36 };
    const x = scale(left, right, box.left, box.right);
    const y = scale(bottom, top, box.bottom, box.top);
    this.place = { box, x, y };
    axes(context, theme, box, x, y, { x: first, y: second });
    const across = scale(0, 1, box.left, box.right);
    const up = scale(0, 1, box.bottom, box.top);
    this.place.unit = [across, up];
    if (this.colourBy === "metric") this.#metric(context, box);
    else this.#margins(context);
    if (plane.tiles.n <= LINES_UP_TO) this.#lines(context, theme);
    this.#legend();
  }

  #range() {
    if (this.colourBy === "metric") return this.app.surface.range;
    const { margin } = this.app.plane.part;
    return [margin.reduce((a, b) => Math.min(a, b)), margin.reduce((a, b) => Math.max(a, b))];
  }

  #legend() {
    const [low, high] = this.#range();
    setText(this.what, this.colourBy === "metric" ? this.app.surface.label : this.app.plane.data.wording.margin);
    setText(this.low, shown(low, 4));
    setText(this.high, shown(high, 4));
    this.bar.style.background = `linear-gradient(90deg, ${ramp()})`;
  }

  #margins(context) {
    const { tiles, part } = this.app.plane;
    const [low, high] = this.#range();
    for (let k = 0; k < tiles.n; k++) {
      context.fillStyle = ramped((part.margin[k] - low) / (high - low || 1));
      this.#trace(context, k);
      context.fill();
    }
  }

  #metric(context, box) {
    const { picture, resolution: n } = this.app.surface;
    const image = document.createElement("canvas");
    image.width = image.height = n;
    const small = image.getContext("2d");
    const colours = Array.from({ length: 256 }, (_, i) => ramped(i / 255));
    for (let j = 0; j < n; j++) {
      for (let i = 0; i < n; i++) {
        // The first row of the picture is the bottom.
        small.fillStyle = colours[picture[j * n + i]];
        small.fillRect(i, n - 1 - j, 1, 1);
      }
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(image, box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.imageSmoothingEnabled = true;
  }

  #lines(context, theme) {
    const { tiles } = this.app.plane;
    context.strokeStyle = theme.card;
    context.globalAlpha = tiles.n < 800 ? 0.6 : 0.3;
    context.lineWidth = 0.5;
    context.beginPath();
    for (let k = 0; k < tiles.n; k++) this.#add(context, k);
    context.stroke();
    context.globalAlpha = 1;
  }

  #trace(context, k) {
    context.beginPath();
    this.#add(context, k);
  }

  #add(context, k) {
    const [across, up] = this.place.unit;
    let isFirst = true;
    this.app.plane.tiles.edges(k, (x0, y0) => {
      if (isFirst) context.moveTo(across(x0), up(y0));
      else context.lineTo(across(x0), up(y0));
      isFirst = false;
    });
    context.closePath();
  }

  #over(context, theme, now) {
    const { app } = this;
    const { x, y } = this.place;
    context.lineJoin = "round";
    if (this.under !== null) this.#light(context, theme, this.under, 0.35);
    this.#light(context, theme, now.moments[0].region, 0.6);
    if (app.surface?.best) this.#markBest(context, theme);
    const [px, py] = [x(now.theta[0]), y(now.theta[1])];
    for (const [colour, width] of [[theme.card, 5], [theme.accent, 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.arc(px, py, 7, 0, 2 * Math.PI);
      context.moveTo(px - 12, py);
      context.lineTo(px + 12, py);
      context.moveTo(px, py - 12);
      context.lineTo(px, py + 12);
      context.stroke();
    }
  }

  /** A region lights up. */
  #light(context, theme, region, alpha) {
    context.fillStyle = theme.card;
    context.globalAlpha = alpha;
    this.#trace(context, region);
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.stroke();
  }

  #markBest(context, theme) {
    const { x, y } = this.place;
    const { polygon, z } = this.app.surface.best;
    for (const [colour, width, dash] of [[theme.card, 4, []], [theme.ink, 2, [5, 3]]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.beginPath();
      for (const [a, b] of polygon) context.lineTo(x(a), y(b));
      context.closePath();
      // A polygon may be too small to be seen.
      context.moveTo(x(z[0]) + 9, y(z[1]));
      context.arc(x(z[0]), y(z[1]), 9, 0, 2 * Math.PI);
      context.stroke();
    }
    context.setLineDash([]);
  }

  /** What the region under the pointer is, in words. */
  #under() {
    const { plane } = this.app;
    if (this.under === null) return "Move over the plane to light up a region; press or drag to go there.";
    const sets = plane.sets(this.under).map((rows, code) => {
      const names = rows.slice(0, NAMES).map((row) => plane.name(row));
      const more = rows.length > NAMES ? ", …" : "";
      return `${SETS[code]} ${rows.length}${rows.length ? ` (${names.join(", ")}${more})` : ""}`;
    });
    return `Region ${this.under} under the pointer: ${sets.join("; ")}.`;
  }

  #describe(now) {
    return `The plane with ${this.app.plane.tiles.n} regions; the point is at ${now.theta.map((one) => shown(one, 4)).join(", ")}, ${this.app.words(now)}`;
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
    setText(this.hover, this.#under());
    if (this.value) setText(this.value, shown(this.app.surface.at(now.theta, now.moments)));
  }

  refresh() {
    this.canvas.stale = true;
  }
}
