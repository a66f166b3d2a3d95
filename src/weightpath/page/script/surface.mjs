// A metric over a plane: exact at every point, with a picture of it and its best polygon.

import { unpack } from "./arrays.mjs";
import { Judged } from "./judged.mjs";
import { metricOf } from "./metrics.mjs";

export class Surface {
  constructor(data, plane, judged) {
    Object.assign(this, data);
    this.metricAt = metricOf(data.formula);
    this.picture = unpack(data.picture);
    this.plane = plane;
    this.rows = data.rows ? new Judged({ ...data.rows, labels: null }, plane) : judged;
  }

  /** The value at z; not a number if this page cannot evaluate the rows. */
  at(z, moments = this.plane.moments(z)) {
    return this.rows.canEvaluate ? this.metricAt(this.rows.values(z, moments)) : NaN;
  }
}
