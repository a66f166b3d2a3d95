// The page of a region map: the plane, its panels, and what they share: the point and the chosen row.

import { ConfusionPanel } from "./confusion_panel.mjs";
import { h, shown } from "./dom.mjs";
import { FitPanel, hasFit } from "./fit_panel.mjs";
import { FunctionPanel, hasFunction } from "./function_panel.mjs";
import { Judged } from "./judged.mjs";
import { MapCertificatePanel } from "./map_certificate.mjs";
import { rolesOf } from "./path.mjs";
import { PicturePanel, hasPicture } from "./picture.mjs";
import { Plane } from "./plane.mjs";
import { PlaneControls } from "./plane_controls.mjs";
import { PlanePanel } from "./plane_panel.mjs";
import { PredictionsPanel } from "./predictions_panel.mjs";
import { RegionPanel } from "./region_panel.mjs";
import { RowsPanel } from "./rows_panel.mjs";
import { Screen } from "./screen.mjs";
import { Surface } from "./surface.mjs";
import { WeightsPanel } from "./weights_panel.mjs";

export class MapApp {
  constructor(element, data) {
    this.plane = new Plane(data.plane);
    this.judged = new Judged(data.judged, this.plane);
    this.surface = data.surface && new Surface(data.surface, this.plane, this.judged);
    this.k = 0;
    this.selected = null;
    this.z = this.plane.fromUnit([0.5, 0.5]);
    this.screen = new Screen(element, {
      now: () => ({ theta: this.z, moments: this.plane.moments(this.z) }),
    });
    const panels = this.#panels();
    this.screen.show(this.#header(data.title), new PlaneControls(this), panels);
  }

  // What panels ask of a path, they find here of a plane.

  get path() {
    return this.plane;
  }

  get part() {
    return this.plane.part;
  }

  get theta() {
    return this.z;
  }

  get theme() {
    return this.screen.theme;
  }

  get frame() {
    return this.screen.frame;
  }

  #panels() {
    const { plane, judged } = this;
    const half = [new PlanePanel(this)];
    if (hasPicture(plane)) half.push(new PicturePanel(this));
    if (hasFunction(plane)) half.push(new FunctionPanel(this));
    half.push(new RegionPanel(this));
    if (judged.labels) half.push(new ConfusionPanel(this));
    if (hasFit(this)) half.push(new FitPanel(this));
    half.push(new MapCertificatePanel(this));
    const weights = new WeightsPanel(this);
    if (half.length % 2 === 0) weights.element.classList.add("wp-wide");
    const panels = [...half, weights, new RowsPanel(this)];
    if (judged.canEvaluate) panels.push(new PredictionsPanel(this));
    return panels;
  }

  #header(title) {
    const { estimator, wording, certificate } = this.plane.data;
    const facts = `${estimator} · ${this.plane.n} ${wording.rows.toLowerCase()} · ${this.plane.tiles.n} regions · ${certificate.status}`;
    return h("header", {}, h("h1", {}, title), h("p", { class: "wp-note" }, facts));
  }

  /** Where the point is, in words. */
  words(now) {
    const [{ region, nMargin }] = now.moments;
    const parts = [`region ${region}`, `${nMargin} ${this.plane.data.wording.margin}`];
    if (this.surface) parts.push(`${this.surface.metric} ${shown(this.surface.at(now.theta, now.moments), 5)}`);
    return parts.join(" · ");
  }

  /** Go to a point; what is beyond the bounds is taken to them. */
  go(z) {
    if (z.length !== 2 || !z.every(Number.isFinite)) return;
    const at = this.plane.clipped(z);
    if (at.every((value, k) => value === this.z[k])) return;
    this.z = at;
    this.screen.moved();
  }

  select(row) {
    this.selected = row;
    this.redraw();
  }

  roles(now) {
    return rolesOf(this.plane, now.moments);
  }

  redraw() {
    this.screen.redraw();
  }

  close() {
    this.screen.close();
  }
}
