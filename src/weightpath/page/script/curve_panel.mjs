// The metric along theta, exactly, with its best interval; a press goes there.

import { Canvas, axes, cursor, dot, scale } from "./chart.mjs";
import { card, h, setText, shown } from "./dom.mjs";

export class CurvePanel {
  constructor(app) {
    this.app = app;
    const { curve } = app;
    const { element, body, tools } = card(curve.label);
    this.element = element;
    this.canvas = new Canvas({
      label: `${curve.label} along theta`,
      height: 300,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
      describe: (now) =>
        `${curve.label} along theta; at theta ${shown(now.theta)} it is ${shown(curve.at(now.theta))}`,
    });
    this.canvas.onPress((x) => app.go(this.place.x.inverse(x)));
    const { theta, value, interval } = curve.best;
    const where =
      interval[0] < interval[1]
        ? `for θ from ${shown(interval[0])} to ${shown(interval[1])}`
        : `at θ = ${shown(theta)} only`;
    tools.append(
      h(
        "button",
        { type: "button", class: "wp-best", onclick: () => app.go(theta) },
        "Go to the best θ",
      ),
    );
    this.value = h("strong", { class: "wp-curve-value" });
    body.append(
      this.canvas.element,
      h(
        "p",
        { class: "wp-note" },
        "Here ",
        this.value,
        `; ${curve.greaterIsBetter ? "highest" : "lowest"} ${shown(value)} ${where}.`,
      ),
    );
  }

  #paint(context, { width, height }, theme) {
    const { curve, path } = this.app;
    const box = { left: 52, right: width - 12, top: 14, bottom: height - 36 };
    let [low, high] = curve.range();
    const pad = 0.06 * (high - low) || 0.05 * (Math.abs(high) || 1);
    low = low >= 0 && low - pad < 0 ? 0 : low - pad;
    const x = scale(0, path.end, box.left, box.right);
    const y = scale(low, high + pad, box.bottom, box.top);
    this.place = { box, x, y };
    this.#markBest(context, theme, box, x);
    axes(context, theme, box, x, y, { x: "θ" });
    context.strokeStyle = theme.colours[0];
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    for (let e = 0; e < curve.nIntervals; e++) this.#interval(context, e, x, y);
    context.stroke();
    curve.pointTheta.forEach((theta, i) =>
      dot(context, x(theta), y(curve.pointValue[i]), 3, theme.colours[0], theme.card),
    );
  }

  #markBest(context, theme, box, x) {
    const [left, right] = this.app.curve.best.interval;
    context.fillStyle = theme.mark;
    const width = Math.max(3, x(right) - x(left));
    context.fillRect((x(left) + x(right) - width) / 2, box.top, width, box.bottom - box.top);
  }

  /** One interval: a line, or a parabola by its control point. */
  #interval(context, e, x, y) {
    const { curve } = this.app;
    const [left, right] = [curve.edges[e], curve.edges[e + 1]];
    const length = right - left;
    const [from, to] = [curve.onInterval(e, 0), curve.onInterval(e, length)];
    if (e === 0) context.moveTo(x(left), y(from));
    else context.lineTo(x(left), y(from));
    if (curve.degree < 2) {
      context.lineTo(x(right), y(to));
      return;
    }
    const control = from + (curve.coefficients[e * 3 + 1] * length) / 2;
    context.quadraticCurveTo(x(left + length / 2), y(control), x(right), y(to));
  }

  #over(context, theme, now) {
    const { box, x, y } = this.place;
    const value = this.app.curve.at(now.theta);
    cursor(context, theme, x(now.theta), box.top, box.bottom);
    if (!Number.isNaN(value))
      dot(context, x(now.theta), y(value), 4.5, theme.colours[0], theme.card);
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
    setText(this.value, shown(this.app.curve.at(now.theta)));
  }

  refresh() {
    this.canvas.stale = true;
  }
}
