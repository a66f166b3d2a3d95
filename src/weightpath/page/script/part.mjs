// One subproblem: coefficients, bias and positions at any theta, exactly, from the compact record.
//
// A position counts knots and the intervals between them from left to right: 2 q is free in
// interval q (between knots q - 1 and q), 2 j + 1 is at knot j.

import { countUpTo, indexOf, runningSums, unpack } from "./arrays.mjs";

export class Part {
  constructor(data) {
    this.n = data.n;
    this.rows = unpack(data.rows);
    this.theta = unpack(data.theta);
    this.rest = unpack(data.rest) ?? this.theta.map((theta) => 1 - theta);
    // Searched in beyond one half: distances from 1 tell breakpoints apart that theta cannot.
    this.minusRest = this.rest.map((rest) => -rest);
    this.bias = unpack(data.bias);
    this.biasEnd = unpack(data.biasEnd);
    this.nSegments = this.bias.length;
    this.startKnots = data.startKnots.map(unpack);
    this.endKnots = data.endKnots.map(unpack);
    this.nKnots = this.startKnots.length;
    this.sign = unpack(data.sign);
    this.sets = data.sets;
    this.jumpTheta = unpack(data.jumpTheta);
    this.jumpBias = unpack(data.jumpBias);
    this.ends = data.ends.map(
      (end) =>
        end && {
          bias: end.bias,
          row: unpack(end.row),
          beta: unpack(end.beta),
          position: unpack(end.position),
        },
    );
    this.#readMargins(data);
    this.#readEvents(data);
    this.beta = new Float64Array(this.n);
    this.stairsData = data.stairs && {
      ...data.stairs,
      target: data.stairs.target.map(unpack),
      levels: data.stairs.levels.map((columns) => columns.map(unpack)),
    };
  }

  /** Targets and levels at theta, as functions of the row; null if the page does not hold them. */
  stairs(theta) {
    if (!this.stairsData) return null;
    const { target, levels, total, ridge } = this.stairsData;
    const mix = (start, end) =>
      Number.isFinite(start) ? (1 - theta) * start + theta * end : start;
    const targetOf = (row) => mix(target[0][row], target[1][row]);
    const levelOf = (q, row) => mix(levels[0][q][row], levels[1][q][row]);
    let scale = 0;
    for (let row = 0; row < this.n; row++) {
      scale = Math.max(scale, Math.abs(targetOf(row)));
      for (let q = 1; q < this.nKnots; q++) {
        const level = Math.abs(levelOf(q, row));
        if (Number.isFinite(level)) scale = Math.max(scale, level);
      }
    }
    return { target: targetOf, levels: levelOf, scale: scale || 1, total: mix(...total), ridge };
  }

  /** The members of all margins, in each by row, from those that join and leave. */
  #readMargins(data) {
    const joinStart = runningSums(unpack(data.joinCount));
    const leaveStart = runningSums(unpack(data.leaveCount));
    const join = unpack(data.join);
    const leave = unpack(data.leave);
    this.value = unpack(data.value);
    this.offset = new Uint32Array(this.nSegments + 1);
    this.member = new Uint32Array(this.value.length);
    let from = 0;
    let to = 0;
    for (let s = 0; s < this.nSegments; s++) {
      let j = joinStart[s];
      let l = leaveStart[s];
      let out = to;
      for (let e = from; e < to; e++) {
        const row = this.member[e];
        if (l < leaveStart[s + 1] && leave[l] === row) {
          l++;
          continue;
        }
        while (j < joinStart[s + 1] && join[j] < row) this.member[out++] = join[j++];
        this.member[out++] = row;
      }
      while (j < joinStart[s + 1]) this.member[out++] = join[j++];
      this.offset[s + 1] = out;
      from = to;
      to = out;
    }
    const written = unpack(data.written);
    this.writtenEnd = unpack(data.writtenEnd);
    this.writtenAt = new Map();
    let start = 0;
    for (const s of written) {
      this.writtenAt.set(s, start);
      start += this.offset[s + 1] - this.offset[s];
    }
  }

  #readEvents(data) {
    this.eventStart = runningSums(unpack(data.eventCount));
    this.eventRow = unpack(data.eventRow);
    this.eventFrom = unpack(data.eventFrom);
    this.eventTo = unpack(data.eventTo);
    this.nEvents = this.eventRow.length;
    this.eventTheta = unpack(data.eventTheta);
    if (!this.eventTheta) {
      this.eventTheta = new Float64Array(this.nEvents).fill(this.theta[this.nSegments]);
      for (let s = 0; s < this.nSegments; s++) {
        this.eventTheta.fill(this.theta[s], this.eventStart[s], this.eventStart[s + 1]);
      }
    }
    this.initial = unpack(data.initial);
    this.position = Uint8Array.from(this.initial);
    this.nDone = 0;
  }

  /** The segment of theta; at a breakpoint the one to the right of it. */
  segment(theta) {
    const edges = theta > 0.5 ? this.minusRest : this.theta;
    const s = countUpTo(edges, theta > 0.5 ? theta - 1 : theta) - 1;
    return Math.min(Math.max(s, 0), this.nSegments - 1);
  }

  /** Let the positions be those after so many events. */
  #replay(count) {
    const { position, eventRow, eventTo, eventFrom } = this;
    while (this.nDone < count) position[eventRow[this.nDone]] = eventTo[this.nDone++];
    while (this.nDone > count) position[eventRow[--this.nDone]] = eventFrom[this.nDone];
  }

  #knot(j, row, theta) {
    return (1 - theta) * this.startKnots[j][row] + theta * this.endKnots[j][row];
  }

  #knotBelow(position) {
    return Math.min(Math.max((position - 1) >> 1, 0), this.nKnots - 1);
  }

  /** The coefficient of an entry of the margin where its segment ends. */
  #entryEnd(s, entry, next) {
    const written = this.writtenAt.get(s);
    if (written !== undefined) return this.writtenEnd[written + entry - this.offset[s]];
    const row = this.member[entry];
    if (next >= 0) return this.value[next];
    const j = this.#knotBelow(this.#positionAfter(s, row));
    return this.rest[s + 1] * this.startKnots[j][row] + this.theta[s + 1] * this.endKnots[j][row];
  }

  /** The position of a row when the next segment begins; the positions are those of segment s. */
  #positionAfter(s, row) {
    let position = this.position[row];
    for (let e = this.eventStart[s + 1]; e < this.eventStart[s + 2]; e++) {
      if (this.eventRow[e] === row) position = this.eventTo[e];
    }
    return position;
  }

  /** How far theta is along a segment and from its end, as fractions of its length. */
  #fractions(s, theta) {
    const way = (to, toRest, from, fromRest) =>
      from > 0.5 ? Math.max(fromRest - toRest, 0) : to - from;
    const step = way(theta, 1 - theta, this.theta[s], this.rest[s]);
    const length = way(this.theta[s + 1], this.rest[s + 1], this.theta[s], this.rest[s]);
    if (!(length > 0)) return [0, 1];
    return [step / length, (length - step) / length];
  }

  /**
   * Coefficients, bias and positions at theta. The arrays are this object's own: they change with
   * the next call.
   */
  moment(theta) {
    const s = this.segment(theta);
    this.#replay(this.eventStart[s + 1]);
    const { beta, position } = this;
    for (let row = 0; row < this.n; row++) {
      beta[row] = this.#knot(this.#knotBelow(position[row]), row, theta);
    }
    const [along, back] = this.#fractions(s, theta);
    // From the nearer end: what falls by orders of magnitude keeps its digits.
    const between = (left, right) =>
      along <= 0.5 ? left + along * (right - left) : right - back * (right - left);
    let next = this.offset[s + 1];
    const stop = s + 1 < this.nSegments ? this.offset[s + 2] : next;
    for (let entry = this.offset[s]; entry < this.offset[s + 1]; entry++) {
      const row = this.member[entry];
      while (next < stop && this.member[next] < row) next++;
      const follows = next < stop && this.member[next] === row ? next : -1;
      const value = between(this.value[entry], this.#entryEnd(s, entry, follows));
      beta[row] = this.#clipped(value, row, position[row] >> 1, theta);
    }
    const moment = {
      theta,
      segment: s,
      beta,
      position,
      bias: between(this.bias[s], this.biasEnd[s]),
    };
    return this.#atSingleTheta(moment) ?? moment;
  }

  /** The knots that an interval lies between; infinite where there is none. */
  #bounds(row, interval, theta) {
    const low = interval > 0 ? this.#knot(interval - 1, row, theta) : -Infinity;
    const high = interval < this.nKnots ? this.#knot(interval, row, theta) : Infinity;
    return [low, high];
  }

  #clipped(value, row, interval, theta) {
    const [low, high] = this.#bounds(row, interval, theta);
    return Math.min(Math.max(value, low), Math.max(low, high));
  }

  /** The solution at an end, or where the bias jumps: it may differ from both of its limits. */
  #atSingleTheta(moment) {
    const { theta, segment: s } = moment;
    const end = theta === 0 ? this.ends[0] : theta === 1 ? this.ends[1] : null;
    if (end) {
      const beta = moment.beta;
      const position = Uint8Array.from(moment.position);
      end.row.forEach((row, i) => {
        beta[row] = end.beta[i];
        position[row] = end.position[i];
      });
      return { ...moment, position, bias: end.bias };
    }
    const jump = indexOf(this.jumpTheta, theta);
    if (jump < 0) return null;
    const position = Uint8Array.from(moment.position);
    for (let entry = this.offset[s]; entry < this.offset[s + 1]; entry++) {
      const row = this.member[entry];
      const value = this.theta[s] === theta ? this.value[entry] : moment.beta[row];
      const [low, high] = this.#bounds(row, position[row] >> 1, theta);
      const lower = Math.abs(value - low) <= Math.abs(high - value);
      moment.beta[row] = lower ? low : high;
      position[row] += lower ? -1 : 1;
    }
    return { ...moment, position, bias: this.jumpBias[jump] };
  }

  /** 0 (outside), 1 (margin) or 2 (inside) for a row at a position. */
  set(row, position) {
    return this.sets[this.sign[row]][position];
  }

  /** The coefficient of one row along the whole path: corners { theta, value }, in order. */
  course(row) {
    const corners = [];
    const add = (theta, value) => corners.push({ theta, value });
    let position = this.initial[row];
    let event = 0;
    let s = 0;
    while (s < this.nSegments) {
      while (event < this.eventStart[s + 1]) {
        if (this.eventRow[event] === row) position = this.eventTo[event];
        event++;
      }
      const entry = indexOf(this.member, row, this.offset[s], this.offset[s + 1]);
      if (entry >= 0) {
        add(this.theta[s], this.value[entry]);
        const written = this.writtenAt.get(s);
        if (written !== undefined) {
          add(this.theta[s + 1], this.writtenEnd[written + entry - this.offset[s]]);
        }
        s++;
        continue;
      }
      // At a knot up to its next event.
      while (event < this.nEvents && this.eventRow[event] !== row) event++;
      const until = event < this.nEvents ? countUpTo(this.eventStart, event) - 1 : this.nSegments;
      const last = Math.max(s + 1, Math.min(until, this.nSegments));
      const j = this.#knotBelow(position);
      add(this.theta[s], this.#knot(j, row, this.theta[s]));
      add(this.theta[last], this.#knot(j, row, this.theta[last]));
      s = last;
    }
    return corners;
  }
}
