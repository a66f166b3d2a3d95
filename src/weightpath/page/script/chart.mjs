// A drawing on a canvas: a still layer, painted when its size or the colours change, and on it what
// moves with theta.

import { h } from "./dom.mjs";

/** About n round numbers from low to high. */
export function ticks(low, high, n) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) {
    found.push(Math.abs(k) < 1e-9 ? 0 : Number((k * step).toPrecision(12)));
  }
  return found;
}

/** A scale from numbers to pixels, with its inverse. */
export function scale(low, high, from, to) {
  const span = high - low || 1;
  const of = (value) => from + ((value - low) / span) * (to - from);
  of.inverse = (pixel) => low + ((pixel - from) / (to - from || 1)) * span;
  of.low = low;
  of.high = high;
  return of;
}

export class Canvas {
  /** paint(context, size, theme) draws the still layer; over(context, size, theme, now) the rest. */
  constructor({ label, height, paint, over, describe }) {
    this.element = h("canvas", { class: "wp-canvas", role: "img", "aria-label": label });
    this.element.style.height = `${height}px`;
    this.context = this.element.getContext("2d");
    this.still = document.createElement("canvas");
    this.height = height;
    this.paint = paint;
    this.over = over;
    this.describe = describe;
    this.size = { width: 0, height: 0, ratio: 1 };
    this.stale = true;
  }

  /**
   * Take the width that the page gives, if the layout is new: to ask for it may make the browser lay
   * out everything. Return whether there is any.
   */
  #measure(layout) {
    if (layout !== undefined && layout === this.layout) return true;
    const width = Math.round(this.element.clientWidth);
    const height = Math.round(this.element.clientHeight);
    const ratio = globalThis.devicePixelRatio || 1;
    const { size } = this;
    if (width !== size.width || height !== size.height || ratio !== size.ratio) {
      this.size = { width, height, ratio };
      for (const canvas of [this.element, this.still]) {
        canvas.width = Math.max(1, Math.round(width * ratio));
        canvas.height = Math.max(1, Math.round(height * ratio));
      }
      this.stale = true;
    }
    this.layout = width > 0 ? layout : undefined;
    return width > 0;
  }

  draw(theme, now) {
    if (!this.#measure(now.layout)) return;
    const { ratio } = this.size;
    if (this.stale) {
      const context = this.still.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, this.size.width, this.size.height);
      this.paint(context, this.size, theme, now);
      this.stale = false;
    }
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.element.width, this.element.height);
    context.drawImage(this.still, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.over(context, this.size, theme, now);
    if (this.describe && !now.moving) this.element.setAttribute("aria-label", this.describe(now));
  }

  /** Call back with the place of a press, and of the pointer while it is held. */
  onPress(callback) {
    const { element } = this;
    const tell = (event) => {
      // What was never drawn has no places yet.
      if (this.size.width === 0) return;
      const box = element.getBoundingClientRect();
      callback(event.clientX - box.left, event.clientY - box.top, event);
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      try {
        element.setPointerCapture(event.pointerId);
      } catch {
        // The pointer is gone already.
      }
      tell(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) tell(event);
    });
  }
}

const FONT = "11px system-ui, sans-serif";

/** Axes around a box { left, right, top, bottom }, with a light grid. */
export function axes(context, theme, box, x, y, words = {}) {
  context.font = FONT;
  context.lineWidth = 1;
  context.fillStyle = theme.faint;
  const write = (value) =>
    String(Math.abs(value) >= 1e5 ? value.toExponential(0) : value).replace("-", "−");
  context.strokeStyle = theme.line;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of y ? ticks(y.low, y.high, Math.max(2, (box.bottom - box.top) / 42)) : []) {
    line(context, box.left, y(value), box.right, y(value));
    context.fillText(write(value), box.left - 6, y(value));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const value of x ? ticks(x.low, x.high, Math.max(2, (box.right - box.left) / 80)) : []) {
    line(context, x(value), box.top, x(value), box.bottom);
    if (words.x !== null) context.fillText(write(value), x(value), box.bottom + 5);
  }
  if (words.x) context.fillText(words.x, (box.left + box.right) / 2, box.bottom + 19);
  if (words.y) {
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(words.y, box.left, box.top - 4);
  }
}

export function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** The upright line of the present theta. */
export function cursor(context, theme, x, top, bottom) {
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  line(context, x, top, x, bottom);
}

export function dot(context, x, y, radius, fill, stroke) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  if (stroke) {
    context.strokeStyle = stroke;
    context.lineWidth = 1.25;
    context.stroke();
  }
}
