// What pages have in common: panels that are drawn when they are in view, once a frame.

import { h } from "./dom.mjs";
import { readTheme } from "./theme.mjs";

// How long a point must stand still, in milliseconds, for the finer drawing and the sorting of tables.
const SETTLED = 140;
// Panels out of view are drawn when there is time, one after the other, so many milliseconds apart.
const PAUSE = 30;

export class Screen {
  /** advance(time) is called before, now() for what panels draw. */
  constructor(element, { advance = () => {}, now }) {
    this.advance = advance;
    this.now = now;
    this.moving = false;
    // Counts the layouts of the page: its size, what is in view, its colours.
    this.layout = 0;
    this.frame = { last: 0, worst: 0, count: 0 };
    // A notebook has keys of its own, which are not meant for what is in the page.
    this.root = h("div", { class: "weightpath", "data-lm-suppress-shortcuts": "true" });
    element.append(this.root);
    this.theme = readTheme(this.root);
  }

  /** Show a heading, controls and panels, and draw them from now on. */
  show(header, controls, panels) {
    this.controls = controls;
    this.panels = panels;
    this.root.append(
      header,
      controls.element,
      h("main", { class: "wp-grid" }, ...panels.map((panel) => panel.element)),
    );
    this.#watch();
    this.redraw();
  }

  /** Draw anew what depends on size and colours; draw panels when they come into view. */
  #watch() {
    this.visible = new Set(this.panels);
    if (globalThis.IntersectionObserver) {
      this.visible.clear();
      this.seen = new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) {
            const panel = this.panels.find(({ element }) => element === target);
            if (isIntersecting) this.visible.add(panel);
            else this.visible.delete(panel);
          }
          this.#laidOut();
        },
        { rootMargin: "50px" },
      );
      this.panels.forEach(({ element }) => this.seen.observe(element));
    }
    this.sized = new ResizeObserver(() => this.#laidOut());
    this.sized.observe(this.root);
    this.scheme = globalThis.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => this.refresh();
    this.scheme.addEventListener("change", this.onScheme);
    this.onPrint = () => {
      this.layout++;
      this.panels.forEach((panel) => panel.draw(this.theme, this.#still()));
    };
    globalThis.addEventListener("beforeprint", this.onPrint);
  }

  #laidOut() {
    this.layout++;
    this.redraw();
  }

  #still() {
    return { ...this.now(), moving: false, layout: this.layout };
  }

  /** Draw what is out of view, too: a page may be printed, or searched. */
  #drawRest() {
    clearTimeout(this.rest);
    const waiting = this.panels.filter((panel) => !this.visible.has(panel));
    const step = () => {
      const panel = waiting.shift();
      if (!panel || this.moving) return;
      panel.draw(this.theme, this.#still());
      this.rest = setTimeout(step, PAUSE);
    };
    this.rest = setTimeout(step, PAUSE);
  }

  /** Stop watching, when the page is taken away (in a notebook). */
  close() {
    clearTimeout(this.settling);
    clearTimeout(this.rest);
    globalThis.removeEventListener("beforeprint", this.onPrint);
    this.seen?.disconnect();
    this.sized.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.root.remove();
  }

  /** Something moved: draw, and draw finer when it has come to rest. */
  moved(isStill = () => true) {
    this.moving = true;
    clearTimeout(this.settling);
    clearTimeout(this.rest);
    this.settling = setTimeout(() => {
      this.moving = !isStill();
      this.redraw();
    }, SETTLED);
    this.redraw();
  }

  /** Paint everything anew, in the colours of now. */
  refresh() {
    this.theme = readTheme(this.root);
    this.panels.forEach((panel) => panel.refresh?.());
    this.restedAt = null;
    this.#laidOut();
  }

  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame((time) => {
      this.asked = null;
      this.#draw(time);
    });
  }

  #draw(time) {
    const began = performance.now();
    this.advance(time);
    const now = { ...this.now(), moving: this.moving, layout: this.layout };
    this.controls.draw(this.theme, now);
    for (const panel of this.panels) if (this.visible.has(panel)) panel.draw(this.theme, now);
    if (!now.moving && now.theta !== this.restedAt) {
      this.restedAt = now.theta;
      this.#drawRest();
    }
    const spent = performance.now() - began;
    this.frame = {
      last: spent,
      worst: Math.max(this.frame.worst, spent),
      count: this.frame.count + 1,
      theta: now.theta,
      moving: now.moving,
    };
  }
}
