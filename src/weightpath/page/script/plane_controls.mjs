// What moves the point: a slider and a field for each axis.

import { h, newId, setText, shown } from "./dom.mjs";

const SMALL_STEP = 0.002;
const LARGE_STEP = 0.02;

export class PlaneControls {
  constructor(app) {
    this.app = app;
    this.axes = app.plane.data.axes.map((name, k) => this.#axis(name, k));
    this.status = h("div", { class: "wp-status" });
    // Read out when the point has come to rest.
    this.said = h("div", { class: "wp-hidden", role: "status", "aria-live": "polite" });
    this.element = h(
      "div",
      { class: "wp-controls", role: "region", "aria-label": "Position in the plane" },
      ...this.axes.map(({ element }) => element),
      h("div", { class: "wp-row" }, this.status, this.said),
    );
  }

  #axis(name, k) {
    const [low, high] = this.app.plane.bounds[k];
    const [label, field] = [newId(), newId()];
    const own = { name, k };
    own.slider = h("input", {
      type: "range",
      class: "wp-slider",
      min: low,
      max: high,
      step: "any",
      "aria-labelledby": label,
      oninput: () => this.#put(k, Number(own.slider.value)),
    });
    own.slider.addEventListener("keydown", (event) => this.#key(event, k));
    own.field = h("input", {
      type: "text",
      inputmode: "decimal",
      id: field,
      class: "wp-theta",
      "aria-label": name,
      onchange: () => this.#typed(own),
      onfocus: () => own.field.select(),
    });
    own.element = h(
      "div",
      { class: "wp-row" },
      h("span", { id: label, class: "wp-axis" }, name),
      own.slider,
      own.field,
    );
    return own;
  }

  #put(k, value) {
    this.app.go(this.app.z.map((old, axis) => (axis === k ? value : old)));
  }

  #typed(own) {
    const value = Number(own.field.value.replace("−", "-").replace(",", "."));
    if (Number.isFinite(value) && own.field.value.trim() !== "") this.#put(own.k, value);
    own.field.value = shown(this.app.z[own.k], 8);
  }

  #key(event, k) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const [low, high] = this.app.plane.bounds[k];
    const by = (share) => this.#put(k, this.app.z[k] + share * (high - low));
    const moves = {
      ArrowRight: () => by(SMALL_STEP),
      ArrowUp: () => by(SMALL_STEP),
      ArrowLeft: () => by(-SMALL_STEP),
      ArrowDown: () => by(-SMALL_STEP),
      PageUp: () => by(LARGE_STEP),
      PageDown: () => by(-LARGE_STEP),
      Home: () => this.#put(k, low),
      End: () => this.#put(k, high),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  draw(theme, now) {
    const { app } = this;
    const text = app.words(now);
    for (const { slider, field, k, name } of this.axes) {
      const value = now.theta[k];
      if (Number(slider.value) !== value) slider.value = String(value);
      if (document.activeElement !== field) field.value = shown(value, 8);
      slider.setAttribute("aria-valuetext", `${name} ${shown(value)}, ${text}`);
    }
    setText(this.status, text);
    if (!now.moving) setText(this.said, `z = (${now.theta.map((one) => shown(one, 4)).join(", ")}), ${text}`);
  }
}
