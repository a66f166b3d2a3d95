// Colours of what is drawn: those of the style sheet, which follows the reader's light or dark screen.

const NAMES = ["ink", "faint", "line", "paper", "card", "accent", "mark", "blend"];
// As many as there are classes and lines with colours of their own.
export const N_COLOURS = 6;

/** The colours of the style sheet, by name; those of classes and lines are a list. */
export function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(`--wp-${name}`).trim() || "#888888";
  const theme = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
  theme.colours = Array.from({ length: N_COLOURS }, (_, i) => read(`c${i}`));
  return theme;
}

/** Red, green and blue, 0 to 255, of a colour written as #rrggbb. */
export function rgb(colour) {
  const number = Number.parseInt(colour.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

// From dark blue to yellow, which readers with any colour vision see as increasing.
const STOPS = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/** The colour of a share between 0 and 1 of a range. */
export function ramped(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const k = Math.min(Math.floor(at), STOPS.length - 2);
  const mix = STOPS[k].map((low, c) => Math.round(low + (at - k) * (STOPS[k + 1][c] - low)));
  return `rgb(${mix.join(", ")})`;
}

/** The colours of a whole range, for a gradient. */
export function ramp() {
  return STOPS.map((_, k) => ramped(k / (STOPS.length - 1))).join(", ");
}
