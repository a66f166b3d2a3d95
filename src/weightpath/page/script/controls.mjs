// What moves theta: the slider, a field for its value, the keyboard, steps from event to event, play.

import { h, newId, setText, shown } from "./dom.mjs";

// Seconds in which play goes along the whole path.
const SPEEDS = [
  [60, "slow"],
  [20, "medium"],
  [6, "fast"],
];
const SMALL_STEP = 0.002;
const LARGE_STEP = 0.02;

export class Controls {
  constructor(app) {
    this.app = app;
    const slider = newId();
    const field = newId();
    this.play = h(
      "button",
      { type: "button", class: "wp-play", "aria-label": "Play", onclick: () => app.togglePlay() },
      "▶",
    );
    this.slider = h("input", {
      type: "range",
      id: slider,
      class: "wp-slider",
      min: 0,
      max: app.path.end,
      step: "any",
      value: 0,
      "aria-label": "theta",
      oninput: () => app.go(Number(this.slider.value)),
    });
    this.field = h("input", {
      type: "text",
      inputmode: "decimal",
      id: field,
      class: "wp-theta",
      onchange: () => this.#typed(),
      onfocus: () => this.field.select(),
    });
    this.speed = h(
      "select",
      { "aria-label": "Speed of play" },
      ...SPEEDS.map(([seconds, name]) => h("option", { value: seconds }, name)),
    );
    this.speed.value = "20";
    this.status = h("div", { class: "wp-status" });
    // Read out when theta has come to rest, however it was moved.
    this.said = h("div", { class: "wp-hidden", role: "status", "aria-live": "polite" });
    const back = h("button", { type: "button", onclick: () => app.stepEvent(-1) }, "◀ event");
    const forth = h("button", { type: "button", onclick: () => app.stepEvent(1) }, "event ▶");
    back.setAttribute("aria-label", "To the event before");
    forth.setAttribute("aria-label", "To the next event");
    this.element = h(
      "div",
      { class: "wp-controls", role: "region", "aria-label": "Position on the path" },
      h(
        "div",
        { class: "wp-row" },
        this.play,
        this.slider,
        h("label", { for: field }, "θ"),
        this.field,
      ),
      h(
        "div",
        { class: "wp-row" },
        this.status,
        this.said,
        h("span", { class: "wp-steps" }, back, forth, this.speed),
      ),
    );
    this.slider.addEventListener("keydown", (event) => this.#key(event));
  }

  get seconds() {
    return Number(this.speed.value);
  }

  #typed() {
    const theta = Number(this.field.value.replace("−", "-").replace(",", "."));
    if (Number.isFinite(theta) && this.field.value.trim() !== "") this.app.go(theta);
    this.field.value = shown(this.app.theta, 8);
  }

  #key(event) {
    const { app } = this;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = SMALL_STEP * app.path.end;
    const moves = {
      ArrowRight: () => (event.shiftKey ? app.stepEvent(1) : app.go(app.theta + step)),
      ArrowUp: () => app.go(app.theta + step),
      ArrowLeft: () => (event.shiftKey ? app.stepEvent(-1) : app.go(app.theta - step)),
      ArrowDown: () => app.go(app.theta - step),
      PageUp: () => app.go(app.theta + LARGE_STEP * app.path.end),
      PageDown: () => app.go(app.theta - LARGE_STEP * app.path.end),
      Home: () => app.go(0),
      End: () => app.go(app.path.end),
      " ": () => app.togglePlay(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  draw(theme, now) {
    const { app } = this;
    if (Number(this.slider.value) !== now.theta) this.slider.value = String(now.theta);
    if (document.activeElement !== this.field) this.field.value = shown(now.theta, 8);
    setText(this.play, app.isPlaying ? "❚❚" : "▶");
    this.play.setAttribute("aria-label", app.isPlaying ? "Pause" : "Play");
    const { margin } = app.path.data.wording;
    const size =
      app.part.offset[now.moments[app.k].segment + 1] - app.part.offset[now.moments[app.k].segment];
    const parts = [`${size} ${margin}`];
    if (app.curve) parts.push(`${app.curve.metric} ${shown(app.curve.at(now.theta), 5)}`);
    const text = parts.join(" · ");
    setText(this.status, text);
    const words = `theta ${shown(now.theta)}, ${text}`;
    this.slider.setAttribute("aria-valuetext", words);
    if (!now.moving) setText(this.said, words);
  }
}
