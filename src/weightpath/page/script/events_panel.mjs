// The events around theta: which instance, from where to where.

import { countUpTo } from "./arrays.mjs";
import { card, h, setText, shown } from "./dom.mjs";
import { SETS } from "./path.mjs";

const BEFORE = 4;
const SHOWN = 9;

export class EventsPanel {
  constructor(app) {
    this.app = app;
    const { element, body } = card("Events");
    this.element = element;
    this.detail = h("p", { class: "wp-detail", role: "status" });
    this.lines = Array.from({ length: SHOWN }, () => {
      const theta = h("span", { class: "wp-number" });
      const what = h("span", {});
      const line = { event: null, theta, what };
      line.button = h(
        "button",
        { type: "button", onclick: () => line.event !== null && app.showEvent(line.event) },
        theta,
        what,
      );
      line.element = h("li", { hidden: true }, line.button);
      return line;
    });
    this.only = h(
      "button",
      {
        type: "button",
        class: "wp-filter",
        "aria-pressed": "false",
        onclick: () => this.#toggle(),
      },
      "only of the selected row",
    );
    this.isOnly = false;
    body.append(
      this.detail,
      h("ol", { class: "wp-events" }, ...this.lines.map((line) => line.element)),
      this.only,
    );
  }

  #toggle() {
    this.isOnly = !this.isOnly;
    this.only.setAttribute("aria-pressed", String(this.isOnly));
    this.app.redraw();
  }

  /** What happens at an event, in words. */
  words(event) {
    const { app } = this;
    const part = app.part;
    const row = part.eventRow[event];
    const from = SETS[part.set(row, part.eventFrom[event])];
    const to = SETS[part.set(row, part.eventTo[event])];
    const name = app.path.name(app.path.trainingRow(app.k, row));
    return { name, from, to };
  }

  #sentence(event) {
    const { app } = this;
    const { name, from, to } = this.words(event);
    const row = app.path.trainingRow(app.k, app.part.eventRow[event]);
    const label = app.path.label(row, app.theta);
    const of = label === "" ? "" : ` (${app.path.classOf ? "class" : "target"} ${shown(label)})`;
    return `Event ${event + 1} of ${app.nEvents}, θ = ${shown(app.part.eventTheta[event], 8)}: ${name}${of} goes from ${from} to ${to}.`;
  }

  /** The events to list: some before theta, some after. */
  #around(theta) {
    const { app } = this;
    const { part } = app;
    const own = this.isOnly ? app.selectedOwnRow : null;
    const all = own === null ? null : app.eventsOf(own);
    const n = all ? all.length : app.nEvents;
    const at = (i) => (all ? all[i] : i);
    let passed;
    if (all) passed = all.filter((event) => part.eventTheta[event] <= theta).length;
    else passed = countUpTo(part.eventTheta, theta, 0, n);
    const first = Math.max(0, Math.min(passed - BEFORE, n - SHOWN));
    return Array.from({ length: SHOWN }, (_, i) => (first + i < n ? at(first + i) : null));
  }

  draw(theme, now) {
    const { app } = this;
    this.only.disabled = app.selectedOwnRow === null;
    this.only.hidden = app.nEvents === 0;
    const all =
      app.nEvents === 0
        ? "Nothing changes its set on this path."
        : `${app.nEvents} events. Press one to go there.`;
    const text = app.event === null ? all : this.#sentence(app.event);
    setText(this.detail, text);
    this.#around(now.theta).forEach((event, i) => {
      const line = this.lines[i];
      line.event = event;
      line.element.hidden = event === null;
      if (event === null) return;
      const { name, from, to } = this.words(event);
      setText(line.theta, shown(app.part.eventTheta[event], 6));
      setText(line.what, `${name}: ${from} → ${to}`);
      line.element.classList.toggle("wp-passed", app.part.eventTheta[event] <= now.theta);
      if (event === app.event) line.button.setAttribute("aria-current", "true");
      else line.button.removeAttribute("aria-current");
    });
  }
}
