// Where a pasted text came from: the writer's own words, the source, or outside. White space is made even first; case
// and marks count. The text itself never leaves the browser.

export const SHARE = 0.8; // of a paste that must stand in the source in one piece

export const even = (text) => text.replace(/\s+/gu, " ").trim();

// Whether a piece of `text` of at least SHARE of its length stands in `source`; both made even. Every piece of that
// length holds the middle of the text, so that most texts are told apart by one look.
export function standsIn(text, source) {
  const size = Math.ceil(text.length * SHARE - 1e-9);
  if (!size || size > source.length) return false;
  const middle = text.slice(text.length - size, size);
  if (middle && !source.includes(middle)) return false;
  for (let at = 0; at + size <= text.length; at += 1) if (source.includes(text.slice(at, at + size))) return true;
  return false;
}

// "own", "source" or "outside"; null for nothing but white space. own: texts the writer took it from (the summary as it
// was, what was cut or copied there); taken: what was copied on this page from the source; both as they came.
export function originOf(text, { source, own = [], taken = [] }) {
  const looked = even(text);
  if (!looked) return null;
  if (own.some((one) => even(one).includes(looked))) return "own";
  return taken.some((one) => even(one).includes(looked)) || standsIn(looked, source) ? "source" : "outside";
}
