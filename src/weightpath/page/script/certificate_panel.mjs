// The certificate: how far from optimal the path is, as Python computed it, and as checked here.

import { canCheck, violation } from "./check.mjs";
import { card, h, setText, shown, svg } from "./dom.mjs";

const WIDTH = 300;
const HEIGHT = 70;
// The largest and the smallest violation in the drawing, as powers of ten.
const TOP = -6;
const BOTTOM = -17;

export class CertificatePanel {
  constructor(app) {
    this.app = app;
    const { certificate } = app.path.data;
    const { element, body, tools } = card("Certificate");
    this.element = element;
    // What is not finite is a text.
    const worst =
      certificate.violation.find((one) => typeof one === "string") ??
      Math.max(...certificate.violation);
    this.here = h("span", { class: "wp-here", role: "status" }, "–");
    const facts = [
      ["Status", certificate.status],
      [`Largest KKT violation at ${certificate.theta.length} theta`, shown(worst, 2)],
      ["Duality gap at both ends", certificate.gap.map((gap) => shown(gap, 2)).join(", ")],
      ["What rounding alone can do", certificate.floor.map((floor) => shown(floor, 2)).join(", ")],
    ];
    const list = h(
      "dl",
      { class: "wp-facts" },
      ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    );
    body.append(list, this.#drawing());
    if (canCheck(app.path)) {
      list.append(h("dt", {}, "Checked in this browser at θ"), h("dd", {}, this.here));
      tools.append(
        h(
          "button",
          { type: "button", class: "wp-check", onclick: () => this.#check() },
          "Check here",
        ),
      );
    }
  }

  #drawing() {
    const { certificate, end } = this.app.path.data;
    const y = (found) => {
      const value = Number.isFinite(found) ? found : 1;
      const power = Math.min(TOP, Math.max(BOTTOM, Math.log10(Math.max(value, 1e-300))));
      return 8 + ((TOP - power) / (TOP - BOTTOM)) * (HEIGHT - 16);
    };
    const marks = certificate.theta.map((theta, i) =>
      svg("circle", {
        cx: ((theta / end) * WIDTH).toFixed(1),
        cy: y(certificate.violation[i]).toFixed(1),
        r: 3,
      }),
    );
    this.line = svg("line", { y1: 0, y2: HEIGHT, class: "wp-cursor" });
    const rules = [1e-9, 1e-12, 1e-15].flatMap((value) => [
      svg("line", { x1: 0, x2: WIDTH, y1: y(value), y2: y(value), class: "wp-rule" }),
      svg(
        "text",
        { x: -6, y: y(value) + 2.5, "text-anchor": "end" },
        value.toExponential(0).replace("-", "−"),
      ),
    ]);
    const label = "KKT violation, on a logarithmic scale, at the theta where Python checked it";
    return svg(
      "svg",
      {
        viewBox: `-30 0 ${WIDTH + 36} ${HEIGHT}`,
        class: "wp-violations",
        role: "img",
        "aria-label": label,
      },
      ...rules,
      ...marks,
      this.line,
    );
  }

  #check() {
    const { app } = this;
    const found = app.path.parts.map((part) => violation(app.path, part, part.moment(app.theta)));
    setText(this.here, `${shown(Math.max(...found), 2)} at θ = ${shown(app.theta)}`);
    this.checkedAt = app.theta;
  }

  draw(theme, now) {
    const x = ((now.theta / this.app.path.end) * WIDTH).toFixed(1);
    this.line.setAttribute("x1", x);
    this.line.setAttribute("x2", x);
    if (this.checkedAt !== undefined && this.checkedAt !== now.theta) {
      setText(this.here, "–");
      this.checkedAt = undefined;
    }
  }
}
