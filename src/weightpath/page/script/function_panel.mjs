// One feature: the model as a function of it, with the training rows.

import { Canvas, axes, dot, line, scale } from "./chart.mjs";
import { card } from "./dom.mjs";

const N_POINTS = 241;

/** Whether a path can be drawn in this way. */
export function hasFunction(path) {
  const { rowsAre, X } = path.expansion;
  return rowsAre === "instances" && X !== null && X.d === 1 && path.parts.length === 1;
}

export class FunctionPanel {
  constructor(app) {
    this.app = app;
    const { element, body } = card("The model");
    this.element = element;
    this.canvas = new Canvas({
      label: "The model as a function of its feature, with the training rows",
      height: 390,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
    });
    this.canvas.onPress((x, y, event) => event.type === "pointerdown" && this.#press(x, y));
    body.append(this.canvas.element);
    const { x } = app.path.expansion.X;
    const low = x.reduce((a, b) => Math.min(a, b), Infinity);
    const high = x.reduce((a, b) => Math.max(a, b), -Infinity);
    const pad = 0.05 * (high - low) || 1;
    this.x = Float64Array.from(
      { length: N_POINTS },
      (_, i) => low - pad + ((high - low + 2 * pad) * i) / (N_POINTS - 1),
    );
    this.range = this.#range();
  }

  #values(moment) {
    const { expansion, parts } = this.app.path;
    const f = expansion.at(expansion.terms(parts[0], moment), { d: 1, n: N_POINTS, x: this.x });
    return Float64Array.from({ length: N_POINTS }, (_, i) => f(i));
  }

  /** Where a row stands: its target, or one side or the other by its class. */
  #height(row, theta) {
    const { path } = this.app;
    if (path.classOf) return path.classOf[row] === 1 ? 1 : -1;
    return path.hasTargets ? path.label(row, theta) : 0;
  }

  /** The lowest and the highest value that is ever shown. */
  #range() {
    const { path } = this.app;
    let low = Infinity;
    let high = -Infinity;
    for (const theta of path.probes) {
      const rows = Array.from({ length: path.n }, (_, row) => this.#height(row, theta));
      for (const value of [...this.#values(path.parts[0].moment(theta)), ...rows]) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    const pad = 0.06 * (high - low) || 1;
    return [low - pad, high + pad];
  }

  #paint(context, { width, height }, theme) {
    const box = { left: 48, right: width - 10, top: 10, bottom: height - 24 };
    const x = scale(this.x[0], this.x[N_POINTS - 1], box.left, box.right);
    const y = scale(...this.range, box.bottom, box.top);
    this.place = { box, x, y };
    axes(context, theme, box, x, y, {});
  }

  #over(context, theme, now) {
    const { app } = this;
    const { box, x, y } = this.place;
    const values = this.#values(now.moments[0]);
    const half = app.path.tube(now.theta);
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.clip();
    if (half > 0) this.#band(context, theme, values, half);
    if (!app.path.data.outputs.predicts) {
      context.strokeStyle = theme.faint;
      line(context, box.left, y(0), box.right, y(0));
    }
    context.strokeStyle = theme.accent;
    context.lineWidth = 2.25;
    context.beginPath();
    values.forEach((value, i) => context.lineTo(x(this.x[i]), y(value)));
    context.stroke();
    this.#points(context, theme, now);
    context.restore();
  }

  #band(context, theme, values, half) {
    const { x, y } = this.place;
    context.fillStyle = theme.mark;
    context.beginPath();
    values.forEach((value, i) => context.lineTo(x(this.x[i]), y(value + half)));
    for (let i = N_POINTS - 1; i >= 0; i--) context.lineTo(x(this.x[i]), y(values[i] - half));
    context.fill();
  }

  #points(context, theme, now) {
    const { app } = this;
    const roles = app.roles(now);
    for (let row = 0; row < app.path.n; row++) {
      const [px, py] = this.#pixel(row, now.theta);
      const colour = theme.colours[app.path.classOf ? app.path.classOf[row] : 0];
      context.globalAlpha = roles[row] === 0 ? 0.45 : 1;
      dot(context, px, py, roles[row] === 1 ? 4.5 : 3, colour, roles[row] === 1 ? theme.ink : null);
      context.globalAlpha = 1;
      if (row === app.selected) {
        context.strokeStyle = theme.accent;
        context.lineWidth = 3;
        context.beginPath();
        context.arc(px, py, 9, 0, 2 * Math.PI);
        context.stroke();
      }
    }
  }

  #pixel(row, theta) {
    return [this.place.x(this.app.path.expansion.X.x[row]), this.place.y(this.#height(row, theta))];
  }

  #press(px, py) {
    let best = null;
    let least = 15 * 15;
    for (let row = 0; row < this.app.path.n; row++) {
      const [x, y] = this.#pixel(row, this.app.theta);
      const far = (x - px) ** 2 + (y - py) ** 2;
      if (far < least) [best, least] = [row, far];
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
