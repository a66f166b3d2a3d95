// The certificate of a map: how far from optimal solutions are, as Python found and as checked here.

import { canCheck, violation } from "./check.mjs";
import { card, h, setText, shown } from "./dom.mjs";

export class MapCertificatePanel {
  constructor(app) {
    this.app = app;
    const { certificate } = app.plane.data;
    const { element, body, tools } = card("Certificate");
    this.element = element;
    // What is not finite is a text.
    const worst = (values) =>
      values.find((one) => typeof one === "string") ?? Math.max(...values);
    this.near = h("dd", { class: "wp-near" });
    this.here = h("span", { class: "wp-here", role: "status" }, "–");
    const list = h(
      "dl",
      { class: "wp-facts" },
      h("dt", {}, "Status"),
      h("dd", {}, certificate.status),
      ...(certificate.ties ? [h("dt", {}, "Ties"), h("dd", {}, certificate.ties)] : []),
      h("dt", {}, `Largest KKT violation at ${certificate.points.length} points`),
      h("dd", {}, shown(worst(certificate.violation), 2)),
      h("dt", {}, "Largest duality gap there"),
      h("dd", {}, shown(worst(certificate.gap), 2)),
      h("dt", {}, "Nearest of these points"),
      this.near,
    );
    body.append(list);
    if (canCheck(app.plane)) {
      list.append(h("dt", {}, "Checked in this browser at z"), h("dd", {}, this.here));
      tools.append(
        h("button", { type: "button", class: "wp-check", onclick: () => this.#check() }, "Check here"),
      );
    }
  }

  #check() {
    const { plane, z } = this.app;
    const found = violation(plane, plane.part, plane.part.moment(z));
    setText(this.here, `${shown(found, 2)} at z = (${z.map((one) => shown(one)).join(", ")})`);
    this.checkedAt = z;
  }

  draw(theme, now) {
    const { plane } = this.app;
    const { points, violation: found } = plane.data.certificate;
    const [x, y] = plane.part.unit(now.theta);
    const far = points.map(([a, b]) => (a - x) ** 2 + (b - y) ** 2);
    const k = far.indexOf(Math.min(...far));
    const at = plane.fromUnit(points[k]).map((one) => shown(one, 4));
    setText(this.near, `(${at.join(", ")}), ${Math.sqrt(far[k]).toFixed(3)} of a side away: ${shown(found[k], 2)}`);
    if (this.checkedAt !== undefined && this.checkedAt !== now.theta) {
      setText(this.here, "–");
      this.checkedAt = undefined;
    }
  }
}
