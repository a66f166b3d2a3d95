// Elements of the page. Texts are always set as text: names and titles are never read as HTML.

let nIds = 0;

/** A new id: several pages may stand in one notebook. */
export function newId() {
  nIds += 1;
  return `weightpath-${nIds}`;
}

/** An element with attributes, listeners (onclick: function) and children (elements or texts). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Change a text only if it differs, so that nothing is laid out again in vain. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A section of the page with a heading; returns it, with the place for its content. */
export function card(title, className = "") {
  const id = newId();
  const body = h("div", { class: "wp-body" });
  const tools = h("div", { class: "wp-tools" });
  const head = h("div", { class: "wp-head" }, h("h2", { id }, title), tools);
  const element = h(
    "section",
    { class: `wp-card ${className}`, "aria-labelledby": id },
    head,
    body,
  );
  return { element, body, tools };
}

/** A number for reading: six digits, a real minus sign. */
export function shown(value, digits = 6) {
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const small = size !== 0 && (size < 1e-4 || size >= 1e7);
  const text = small ? value.toExponential(2) : String(Number(value.toPrecision(digits)));
  return text.replace(/-/g, "−");
}
