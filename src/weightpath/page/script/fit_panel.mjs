// Predicted against true values of rows, where predictions are numbers.

import { Canvas, axes, dot, line, scale } from "./chart.mjs";
import { card, h } from "./dom.mjs";

// Kernel values, times the number of features, that one drawing may take.
const WORK = 600_000;
const FEWEST = 40;

/** Whether there are true values to compare with. */
export function hasFit(app) {
  const { outputs } = app.path.data;
  return (
    outputs.predicts &&
    !outputs.classes &&
    app.path.data.rowsAre !== "pairs" &&
    app.judged.canEvaluate &&
    app.judged.y !== null
  );
}

export class FitPanel {
  constructor(app) {
    this.app = app;
    const { element, body } = card("Predicted against true values");
    this.element = element;
    const { judged, path } = app;
    const { rowsAre, kernel } = path.expansion;
    const isQuick = rowsAre === "features" || judged.products || kernel.name === "linear";
    const work = isQuick ? path.n / 8 : path.n * judged.X.d;
    const count = Math.max(FEWEST, Math.floor(WORK / Math.max(1, work)));
    const step = Math.max(1, Math.ceil(judged.n / count));
    this.rows = Array.from({ length: Math.ceil(judged.n / step) }, (_, i) => i * step);
    this.canvas = new Canvas({
      label: "Predicted against true values",
      height: 320,
      paint: (context, size, theme) => this.#paint(context, size, theme),
      over: (context, size, theme, now) => this.#over(context, theme, now),
    });
    const which = judged.isOwn ? "Training rows" : "The given rows";
    const some = step > 1 ? `, every ${step}th of ${judged.n}` : "";
    body.append(
      this.canvas.element,
      h("p", { class: "wp-note" }, `${which}${some}. On the line a prediction is right.`),
    );
    this.range = this.#range();
  }

  #range() {
    let low = Infinity;
    let high = -Infinity;
    const meet = (value) => ([low, high] = [Math.min(low, value), Math.max(high, value)]);
    for (const theta of this.app.path.probes) {
      const [f] = this.app.judged.functions(theta);
      this.rows.forEach((row) => (meet(f(row)), meet(this.app.judged.y[row])));
    }
    const pad = 0.05 * (high - low) || 1;
    return [low - pad, high + pad];
  }

  #paint(context, { width, height }, theme) {
    const box = { left: 52, right: width - 10, top: 22, bottom: height - 36 };
    const x = scale(...this.range, box.left, box.right);
    const y = scale(...this.range, box.bottom, box.top);
    this.place = { box, x, y };
    axes(context, theme, box, x, y, { x: "true", y: "predicted" });
    context.strokeStyle = theme.faint;
    line(context, box.left, box.bottom, box.right, box.top);
  }

  #over(context, theme, now) {
    const { x, y } = this.place;
    const { judged } = this.app;
    const [f] = judged.functions(now.theta, now.moments);
    context.globalAlpha = 0.75;
    for (const row of this.rows) dot(context, x(judged.y[row]), y(f(row)), 3, theme.colours[0]);
    context.globalAlpha = 1;
  }

  draw(theme, now) {
    this.canvas.draw(theme, now);
  }

  refresh() {
    this.canvas.stale = true;
  }
}
