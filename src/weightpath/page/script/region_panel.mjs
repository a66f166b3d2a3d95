// The region that holds the point: its size, its solution, and what changes beyond each of its edges.

import { card, h, setText, shown } from "./dom.mjs";
import { SETS } from "./path.mjs";

// Neighbours that are listed at most.
const MOST = 10;

export class RegionPanel {
  constructor(app) {
    this.app = app;
    const { element, body } = card("The region");
    this.element = element;
    const fact = (name) => {
      const value = h("dd", {}, "–");
      return { value, elements: [h("dt", {}, name), value] };
    };
    this.facts = {
      number: fact("Region"),
      size: fact("Share of the plane"),
      sets: fact("Rows outside, on, inside"),
      margin: fact("On the margin"),
      bias: fact("Bias"),
      weights: fact("Sum of the weights"),
    };
    this.lines = Array.from({ length: MOST }, () => this.#line());
    this.title = h("p", { class: "wp-note" });
    body.append(
      h("dl", { class: "wp-facts" }, ...Object.values(this.facts).flatMap(({ elements }) => elements)),
      this.title,
      h("ol", { class: "wp-events wp-neighbours" }, ...this.lines.map(({ element: one }) => one)),
    );
  }

  #line() {
    const line = { region: null, what: h("span", {}) };
    line.button = h(
      "button",
      { type: "button", onclick: () => line.region !== null && this.#enter(line.region) },
      line.what,
    );
    line.element = h("li", { hidden: true }, line.button);
    return line;
  }

  #enter(region) {
    const { plane } = this.app;
    this.app.go(plane.fromUnit(plane.tiles.centre(region)));
  }

  /** What changes on the way from one region to another, in words. */
  #words(from, to) {
    const { plane } = this.app;
    const { part } = plane;
    const [before, after] = [part.positions(from), part.positions(to)];
    const found = [];
    before.forEach((position, row) => {
      if (position === after[row]) return;
      const name = plane.name(plane.trainingRow(0, row));
      found.push(`${name}: ${SETS[part.set(row, position)]} → ${SETS[part.set(row, after[row])]}`);
    });
    return found.length ? found.join("; ") : "another row bounds the bias";
  }

  draw(theme, now) {
    const { plane } = this.app;
    const [{ region, bias }] = now.moments;
    const { facts } = this;
    setText(facts.bias.value, shown(bias));
    let sum = 0;
    for (let row = 0; row < plane.n; row++) sum += plane.weight(row, now.theta);
    setText(facts.weights.value, shown(sum));
    if (region === this.shownRegion && this.isListed) return;
    const sets = plane.sets(region);
    setText(facts.number.value, `${region} of ${plane.tiles.n}, with ${plane.tiles.nCorners(region)} corners`);
    setText(facts.size.value, shown(plane.tiles.area(region), 4));
    setText(facts.sets.value, sets.map((rows) => rows.length).join(", "));
    setText(facts.margin.value, sets[1].map((row) => plane.name(row)).join(", ") || "none");
    this.shownRegion = region;
    // The neighbours are looked for when the point stands still.
    this.isListed = !now.moving;
    if (this.isListed) this.#list(region);
  }

  #list(region) {
    const neighbours = this.app.plane.tiles.neighbours(region);
    const more = neighbours.length > MOST ? `, the first ${MOST} of them` : "";
    setText(this.title, `Beyond its edges: ${neighbours.length} regions${more}. Press one to go there.`);
    this.lines.forEach((line, i) => {
      line.region = neighbours[i] ?? null;
      line.element.hidden = line.region === null;
      if (line.region !== null) setText(line.what, this.#words(region, line.region));
    });
  }
}
