// One page: the path, its panels, and what they share: theta, the chosen row, the chosen event.

import { countUpTo } from "./arrays.mjs";
import { CertificatePanel } from "./certificate_panel.mjs";
import { CoefficientPanel } from "./coefficients.mjs";
import { ConfusionPanel } from "./confusion_panel.mjs";
import { Controls } from "./controls.mjs";
import { Curve } from "./curve.mjs";
import { CurvePanel } from "./curve_panel.mjs";
import { h, newId } from "./dom.mjs";
import { EventsPanel } from "./events_panel.mjs";
import { FitPanel, hasFit } from "./fit_panel.mjs";
import { FunctionPanel, hasFunction } from "./function_panel.mjs";
import { Judged } from "./judged.mjs";
import { Path, rolesOf } from "./path.mjs";
import { PicturePanel, hasPicture } from "./picture.mjs";
import { PredictionsPanel } from "./predictions_panel.mjs";
import { RankingPanel, hasRanking } from "./ranking_panel.mjs";
import { RowsPanel } from "./rows_panel.mjs";
import { Screen } from "./screen.mjs";
import { WeightsPanel } from "./weights_panel.mjs";

export class App {
  constructor(element, data, { onTheta = () => {} } = {}) {
    this.path = new Path(data.path);
    this.judged = new Judged(data.judged, this.path);
    this.curve = data.curve && new Curve(data.curve);
    this.onTheta = onTheta;
    this.theta = 0;
    this.k = 0;
    this.selected = null;
    this.event = null;
    this.isPlaying = false;
    this.screen = new Screen(element, {
      advance: (time) => this.#advance(time),
      now: () => ({ theta: this.theta, moments: this.path.moments(this.theta) }),
    });
    this.controls = new Controls(this);
    const panels = this.#panels();
    this.screen.show(this.#header(data.title), this.controls, panels);
  }

  get theme() {
    return this.screen.theme;
  }

  get frame() {
    return this.screen.frame;
  }

  redraw() {
    this.screen.redraw();
  }

  #panels() {
    const { path, judged } = this;
    // In two columns, where there is room for them; an odd one out takes the whole width.
    const half = [];
    if (hasPicture(path)) half.push(new PicturePanel(this));
    if (hasFunction(path)) half.push(new FunctionPanel(this));
    if (hasRanking(this)) half.push((this.ranking = new RankingPanel(this)));
    this.coefficients = new CoefficientPanel(this);
    half.push(this.coefficients);
    if (this.curve) half.push(new CurvePanel(this));
    half.push(new EventsPanel(this));
    if (judged.labels) half.push(new ConfusionPanel(this));
    if (hasFit(this)) half.push(new FitPanel(this));
    half.push(new CertificatePanel(this));
    const weights = new WeightsPanel(this);
    if (half.length % 2 === 1) half.push(weights);
    else weights.element.classList.add("wp-wide");
    const panels = half.includes(weights) ? half : [...half, weights];
    panels.push(new RowsPanel(this));
    if (path.data.rowsAre !== "pairs" && (judged.canEvaluate || judged.labels))
      panels.push(new PredictionsPanel(this));
    return panels;
  }

  #header(title) {
    const { path } = this;
    const { wording, estimator, segments, pairs, outputs, certificate } = path.data;
    const nEvents = path.parts.reduce((sum, part) => sum + countUpTo(part.eventTheta, path.end), 0);
    const facts = `${estimator} · ${path.n} ${wording.rows.toLowerCase()} · ${nEvents} events · ${segments} segments · ${certificate.status}`;
    const header = h("header", {}, h("h1", {}, title), h("p", { class: "wp-note" }, facts));
    if (path.parts.length > 1) {
      const id = newId();
      const name = (k) =>
        pairs
          ? `${outputs.classes[pairs[k][0]]} against ${outputs.classes[pairs[k][1]]}`
          : `subproblem ${k + 1}`;
      const choice = h(
        "select",
        { id, class: "wp-part", onchange: () => this.#choosePart(Number(choice.value)) },
        ...path.parts.map((_, k) => h("option", { value: k }, name(k))),
      );
      header.append(h("p", {}, h("label", { for: id }, "Subproblem "), choice));
    }
    return header;
  }

  #choosePart(k) {
    this.k = k;
    this.event = null;
    this.coefficients.choose();
    this.screen.refresh();
  }

  close() {
    this.isPlaying = false;
    this.screen.close();
  }

  get part() {
    return this.path.parts[this.k];
  }

  get nEvents() {
    return countUpTo(this.part.eventTheta, this.path.end);
  }

  /** The selected row within the present subproblem; null if it is not in there. */
  get selectedOwnRow() {
    if (this.selected === null) return null;
    const { rows } = this.part;
    const own = rows ? rows.indexOf(this.selected) : this.selected;
    return own < 0 || own >= this.part.n ? null : own;
  }

  /** Go to a theta; what is beyond the ends is taken as the end. */
  go(theta, tell = true) {
    if (!Number.isFinite(theta)) return;
    const at = Math.min(Math.max(theta, 0), this.path.end);
    if (at === this.theta) return;
    this.theta = at;
    if (this.event !== null && this.part.eventTheta[this.event] !== at) this.event = null;
    if (tell) this.onTheta(at);
    this.screen.moved(() => !this.isPlaying);
  }

  select(row) {
    this.selected = row;
    this.coefficients.choose();
    this.redraw();
  }

  /** The event next to theta, of the present subproblem. */
  nearestEvent(theta) {
    const { eventTheta } = this.part;
    const after = Math.min(countUpTo(eventTheta, theta, 0, this.nEvents), this.nEvents - 1);
    if (after < 0) return null;
    const before = Math.max(0, after - 1);
    return theta - eventTheta[before] < eventTheta[after] - theta ? before : after;
  }

  eventsOf(row) {
    const found = [];
    for (let e = 0; e < this.nEvents; e++) if (this.part.eventRow[e] === row) found.push(e);
    return found;
  }

  /** Go to an event, and say what happens there. */
  showEvent(event) {
    this.event = event;
    this.selected = this.path.trainingRow(this.k, this.part.eventRow[event]);
    this.coefficients.choose();
    this.go(this.part.eventTheta[event]);
    this.redraw();
  }

  stepEvent(by) {
    const { eventTheta } = this.part;
    let event = this.event;
    if (event === null) {
      const passed = countUpTo(eventTheta, this.theta, 0, this.nEvents);
      const isAt = passed > 0 && eventTheta[passed - 1] === this.theta;
      event = by > 0 ? passed - 1 : isAt ? passed - 1 : passed;
    }
    const next = event + by;
    if (next >= 0 && next < this.nEvents) this.showEvent(next);
  }

  togglePlay() {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.theta >= this.path.end) this.go(0);
    this.playedAt = null;
    this.redraw();
  }

  #advance(time) {
    if (!this.isPlaying) return;
    if (this.playedAt !== null) {
      const { end } = this.path;
      const step = ((time - this.playedAt) / 1000 / this.controls.seconds) * end;
      if (this.theta + step >= end) this.isPlaying = false;
      this.go(this.theta + Math.min(step, 0.1 * end));
    }
    this.playedAt = time;
    if (this.isPlaying) this.redraw();
  }

  /** How much of each training row is in the model: 0 nothing, 1 on a margin, 2 anything else. */
  roles(now) {
    return rolesOf(this.path, now.moments);
  }
}
