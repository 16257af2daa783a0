// What every page counts while somebody writes: words, their ratio, the guideline's band. The counting of overlap and
// topics (overlap.js, topics.js) reaches a page only where the project shows it.
import { words } from "./unicode.js";

export const countWords = (text) => words(text).length;

// A band of the guideline as whole words. `of` says what its numbers are: a share of the words in the relevant
// segments, or plain words. Null while there is nothing to take a share of.
export function bandInWords(band, base) {
  if (!band) return null;
  if (band.of === "words") return { low: Math.ceil(band.low ?? 0), high: Math.floor(band.high ?? Infinity) };
  if (!base) return null;
  const low = Math.max(1, Math.ceil((band.low ?? 0) * base - 1e-9));
  const high = band.high === null || band.high === undefined ? Infinity : Math.floor(band.high * base + 1e-9);
  return { low, high: Math.max(low, high) };
}

const FAR_WORDS = 5;
const FAR_SHARE = 0.25;

// Whether a text misses its band by so much that it is most likely a slip.
export function isFar({ place, by, range }) {
  if (place !== "over" && place !== "under") return false;
  return by > FAR_WORDS && by > FAR_SHARE * (place === "over" ? range.high : range.low);
}

// Where a draft stands: {words, base, ratio, range, place, by}. `place` is "unmarked" before there is a base,
// "empty" before there is a text, "none" without a band, else "in", "over" or "under" by so many words.
export function lengthReport(text, base, band) {
  const count = countWords(text);
  const ratio = base ? count / base : null;
  const range = bandInWords(band, base);
  const report = { words: count, base, ratio, range, place: "none", by: 0 };
  if (!band) return report;
  if (!range) return { ...report, place: "unmarked" };
  if (!count) return { ...report, place: "empty" };
  if (count > range.high) return { ...report, place: "over", by: count - range.high };
  if (count < range.low) return { ...report, place: "under", by: range.low - count };
  return { ...report, place: "in" };
}
