// Python counts code points, JavaScript counts UTF-16 units. Everything stored is in code points; convert at the edge.

const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

// How many code points stand before a UTF-16 index.
export const toPoints = (text, units) => [...text.slice(0, units)].length;

// The UTF-16 index of the code point at `points`; the length of the text when it is beyond the end.
export function toUnits(text, points) {
  let units = 0;
  let left = points;
  for (const character of text) {
    if (left <= 0) break;
    units += character.length;
    left -= 1;
  }
  return units;
}

// Widen a UTF-16 range that would cut a surrogate pair in two.
export function whole(text, from, to) {
  const inside = (at) => at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
  return { from: inside(from) ? from - 1 : from, to: inside(to) ? to + 1 : to };
}

// A selection of one segment as it is stored: half open, code points, with the quoted words; null for nothing but
// space.
export function toSpan(text, segment, from, to) {
  const range = whole(text, Math.max(0, from), Math.min(text.length, to));
  const picked = text.slice(range.from, range.to);
  const start = range.from + (picked.length - picked.trimStart().length);
  const end = range.to - (picked.length - picked.trimEnd().length);
  if (start >= end) return null;
  return { segment, start: toPoints(text, start), end: toPoints(text, end), quote: text.slice(start, end) };
}

// Where a stored selection stands in the page's text; null when the quote is not there.
export function toRange(text, span) {
  const from = toUnits(text, span.start);
  const to = toUnits(text, span.end);
  return text.slice(from, to) === span.quote ? { from, to } : null;
}
