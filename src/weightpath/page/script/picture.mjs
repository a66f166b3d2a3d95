// Two features: the training rows, and the regions and boundaries of the model as they move.

import { Canvas, axes, scale } from "./chart.mjs";
import { card, h } from "./dom.mjs";
import { between, contour, evaluate, grid } from "./field.mjs";
import { winner } from "./judged.mjs";
import { rgb } from "./theme.mjs";

// The grid while something moves and when it stands: the most points along a side, and milliseconds
// that it may take. How fast this browser is, the first grids tell.
const MOVING = { most: 48, budget: 2.5 };
const STANDING = { most: 96, budget: 4 };
const FEWEST = 16;
const FIRST = 32;

// Pixels of the picture of the regions along each side.
const PIXELS = 128;

/** Whether a path can be drawn in this way. */
export function hasPicture(path) {
  const { rowsAre, X } = path.expansion;
  return rowsAre === "instances" && X !== null && X.d === 2;
}

export class PicturePanel {
  constructor(app) {
    this.app = app;
    const { element, body } = card("The model");
    this.element = element;
    this.image = document.createElement("canvas");
    this.image.width = this.image.height = PIXELS;
    this.canvas = new Canvas({
      label: "Training rows and the boundary of the model",
      height: 400,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
    });
    this.canvas.onPress((x, y, event) => event.type === "pointerdown" && this.#press(x, y));
    body.append(this.canvas.element, this.#legend());
    this.box = this.#around();
  }

  get #classes() {
    return this.app.path.data.outputs.classes;
  }

  #legend() {
    const entry = (mark, text) => h("li", {}, h("span", { class: `wp-swatch ${mark}` }), text);
    const { outputs, wording } = this.app.path.data;
    const names = this.#classes ?? (outputs.predicts ? ["low", "high"] : []);
    const classes = names.map((name, c) => entry(`wp-fill${c % 6}`, name));
    const sets = [entry("wp-ring", wording.margin), entry("wp-pale", "coefficient zero")];
    return h("ul", { class: "wp-legend wp-plain" }, ...classes, ...sets);
  }

  /** A box around all training rows. */
  #around() {
    const { x } = this.app.path.expansion.X;
    const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    for (let i = 0; i < x.length; i += 2) {
      box.x0 = Math.min(box.x0, x[i]);
      box.x1 = Math.max(box.x1, x[i]);
      box.y0 = Math.min(box.y0, x[i + 1]);
      box.y1 = Math.max(box.y1, x[i + 1]);
    }
    const padX = 0.06 * (box.x1 - box.x0) || 1;
    const padY = 0.06 * (box.y1 - box.y0) || 1;
    return { x0: box.x0 - padX, x1: box.x1 + padX, y0: box.y0 - padY, y1: box.y1 + padY };
  }

  #paint(context, { width, height }, theme) {
    const box = { left: 44, right: width - 8, top: 8, bottom: height - 24 };
    const x = scale(this.box.x0, this.box.x1, box.left, box.right);
    const y = scale(this.box.y0, this.box.y1, box.bottom, box.top);
    this.place = { box, x, y };
    axes(context, theme, box, x, y, {});
    const { X } = this.app.path.expansion;
    this.pixels = Float64Array.from(X.x, (value, i) => (i % 2 ? y(value) : x(value)));
  }

  #over(context, theme, now) {
    const { app } = this;
    const { box } = this.place;
    const { expansion, parts } = app.path;
    const terms = parts.map((part, k) => expansion.terms(part, now.moments[k]));
    const { fields, side } = this.#fields(terms, now.moving ? MOVING : STANDING);
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.clip();
    this.#regions(context, theme, fields, side);
    this.#lines(context, theme, fields, side);
    this.#points(context, theme, now);
    context.restore();
  }

  /** All decision functions on a grid that is as fine as there is time for. */
  #fields(terms, { most, budget }) {
    const count = terms.reduce((sum, { index }) => sum + index.length, 1);
    const affordable = this.speed ? Math.floor(Math.sqrt((budget * this.speed) / count)) : FIRST;
    const side = Math.max(FEWEST, Math.min(most, affordable));
    const began = performance.now();
    const points = grid(this.box, side, side);
    const fields = terms.map((own) => evaluate(this.app.path.expansion, own, points));
    // Terms at points in a millisecond; a clock may be coarse, and the browser busy.
    const speed = (count * side * side) / Math.max(0.1, performance.now() - began);
    this.speed = this.speed ? 0.8 * this.speed + 0.2 * speed : speed;
    return { fields, side };
  }

  /** Colours of the regions: each class its own, paler where the model is less sure. */
  #regions(context, theme, fields, side) {
    const { outputs, pairs } = this.app.path.data;
    const small = this.image.getContext("2d");
    const image = small.createImageData(PIXELS, PIXELS);
    const colours = theme.colours.map(rgb);
    const range = outputs.predicts && !this.#classes ? this.#range(fields[0]) : null;
    this.range = range;
    const values = new Float64Array(fields.length);
    const strength = Number(theme.blend);
    // One object for all pixels: new ones would be thousands in every frame.
    const shade = { colour: 0, alpha: 0 };
    for (let j = 0, p = 0; j < PIXELS; j++) {
      // The first row of the image is the top, the last of the grid.
      const v = ((PIXELS - 1 - j) / (PIXELS - 1)) * (side - 1);
      for (let i = 0; i < PIXELS; i++, p += 4) {
        const u = (i / (PIXELS - 1)) * (side - 1);
        for (let k = 0; k < fields.length; k++) values[k] = between(fields[k], side, side, u, v);
        this.#shade(values, pairs, outputs, range, shade);
        const colour = colours[shade.colour % colours.length];
        image.data[p] = colour[0];
        image.data[p + 1] = colour[1];
        image.data[p + 2] = colour[2];
        image.data[p + 3] = 255 * strength * shade.alpha;
      }
    }
    small.putImageData(image, 0, 0);
    const { box } = this.place;
    context.imageSmoothingEnabled = true;
    context.drawImage(this.image, box.left, box.top, box.right - box.left, box.bottom - box.top);
  }

  /** Write the colour and the strength of one pixel. */
  #shade(values, pairs, outputs, range, found) {
    if (range) {
      const t = (2 * (values[0] - range[0])) / (range[1] - range[0] || 1) - 1;
      found.colour = t > 0 ? 1 : 0;
      found.alpha = Math.abs(t);
    } else if (outputs.detects) {
      found.colour = values[0] >= 0 ? 0 : 1;
      found.alpha = values[0] >= 0 ? 0.7 : 0;
    } else {
      found.colour = winner(values, pairs, this.#classes.length, outputs.breakTies);
      found.alpha = pairs ? 0.7 : 0.35 + 0.65 * Math.min(1, Math.abs(values[0]));
    }
  }

  #range(field) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of field) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return [low, high];
  }

  #lines(context, theme, fields, side) {
    const { outputs, pairs } = this.app.path.data;
    if (outputs.predicts && !this.#classes) return;
    const { box } = this.place;
    const dx = (box.right - box.left) / (side - 1);
    const dy = (box.bottom - box.top) / (side - 1);
    const levels = this.#classes && !pairs ? [0, -1, 1] : [0];
    const shownFields = pairs ? [] : fields.slice(0, 1);
    context.strokeStyle = theme.ink;
    for (const field of shownFields) {
      for (const level of levels) {
        context.beginPath();
        contour(field, side, side, level, (x0, y0, x1, y1) => {
          context.moveTo(box.left + x0 * dx, box.bottom - y0 * dy);
          context.lineTo(box.left + x1 * dx, box.bottom - y1 * dy);
        });
        context.setLineDash(level === 0 ? [] : [4, 4]);
        context.globalAlpha = level === 0 ? 1 : 0.55;
        context.lineWidth = level === 0 ? 2 : 1.2;
        context.stroke();
      }
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  #points(context, theme, now) {
    const { app } = this;
    const { X } = app.path.expansion;
    const roles = app.roles(now);
    const groups = theme.colours.map(() => [[], [], []]);
    for (let i = 0; i < X.n; i++) {
      groups[this.#colour(i, now.theta) % groups.length][roles[i]].push(i);
    }
    // The margin last, so that it is on top.
    for (const wanted of [0, 2, 1])
      groups.forEach((group, c) => this.#dots(context, theme, group[wanted], wanted, c));
    if (app.selected !== null && app.selected < X.n) {
      const [px, py] = this.#pixel(app.selected);
      context.strokeStyle = theme.accent;
      context.lineWidth = 3;
      context.beginPath();
      context.arc(px, py, 9, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  /** The colour of a row: that of its class; of a regression, whether its target is low or high. */
  #colour(row, theta) {
    const { path } = this.app;
    if (path.classOf) return path.classOf[row];
    if (!path.hasTargets || !this.range) return 0;
    return path.label(row, theta) > (this.range[0] + this.range[1]) / 2 ? 1 : 0;
  }

  /** The points of one colour and one role, as one path. */
  #dots(context, theme, rows, role, c) {
    if (rows.length === 0) return;
    const radius = [2.4, 4.5, 3.1][role];
    context.beginPath();
    for (const i of rows) {
      const [px, py] = this.#pixel(i);
      context.moveTo(px + radius, py);
      context.arc(px, py, radius, 0, 2 * Math.PI);
    }
    // The edge first, so that it never covers a neighbour; twice as wide, as half of it is covered.
    context.strokeStyle = role === 1 ? theme.ink : theme.card;
    context.lineWidth = [0, 3, 1.5][role];
    if (role !== 0) context.stroke();
    context.globalAlpha = role === 0 ? 0.5 : 1;
    context.fillStyle = theme.colours[c];
    context.fill();
    context.globalAlpha = 1;
  }

  #pixel(i) {
    return [this.pixels[2 * i], this.pixels[2 * i + 1]];
  }

  #press(px, py) {
    let best = null;
    let least = 15 * 15;
    for (let i = 0; i < this.app.path.expansion.X.n; i++) {
      const [x, y] = this.#pixel(i);
      const far = (x - px) ** 2 + (y - py) ** 2;
      if (far < least) [best, least] = [i, far];
    }
    this.app.select(best);
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
  }

  refresh() {
    this.canvas.stale = true;
  }
}
