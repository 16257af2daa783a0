// What is marked in the source: whole segments and selections of words. No page here, only lists.
import { cutRuns } from "./unicode.js";

// Marked segments as they are stored: single numbers, and inclusive pairs for runs. [0, 1, 2, 5] -> [[0, 2], 5]
export function packSegments(indices) {
  const packed = [];
  for (const index of [...new Set(indices)].sort((a, b) => a - b)) {
    const last = packed.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else packed.push([index, index]);
  }
  return packed.map(([from, to]) => (from === to ? from : [from, to]));
}

// The other way; numbers outside the source are left out.
export function openSegments(packed, count) {
  const indices = new Set();
  for (const entry of packed ?? []) {
    const [from, to] = Array.isArray(entry) ? entry : [entry, entry];
    for (let i = Math.max(0, from); i <= Math.min(count - 1, to); i += 1) indices.add(i);
  }
  return [...indices].sort((a, b) => a - b);
}

// Add a selection; what touches it in the same segment becomes one with it. `quoteOf(segment, start, end)` gives words.
export function addSpan(spans, span, quoteOf) {
  let { start, end } = span;
  const rest = [];
  for (const other of spans) {
    if (other.segment === span.segment && other.start <= end && other.end >= start) {
      start = Math.min(start, other.start);
      end = Math.max(end, other.end);
    } else {
      rest.push(other);
    }
  }
  const merged = { segment: span.segment, start, end, quote: quoteOf(span.segment, start, end) };
  return [...rest, merged].sort((a, b) => a.segment - b.segment || a.start - b.start);
}

export const removeSpan = (spans, span) =>
  spans.filter((other) => other.segment !== span.segment || other.start !== span.start || other.end !== span.end);

// Word places of a text, in UTF-16 units, for choosing words with the arrow keys.
// Scripts that write no words apart are cut as their words are counted; marks stand alone.
export const wordPlaces = (text) =>
  [...text.matchAll(/\S+/g)].flatMap((found) => {
    let at = found.index;
    return cutRuns(found[0]).map((piece) => [at, (at += piece.length)]);
  });

// Move or extend a choice of words {from, to} (word numbers, inclusive; null for none yet) by one word.
export function moveWords(count, choice, by, extend) {
  if (!count) return null;
  if (!choice) return by > 0 ? { from: 0, to: 0 } : { from: count - 1, to: count - 1 };
  const clamp = (n) => Math.min(count - 1, Math.max(0, n));
  if (!extend) {
    const at = clamp((by > 0 ? choice.to : choice.from) + by);
    return { from: at, to: at };
  }
  return { from: choice.from, to: Math.max(choice.from, clamp(choice.to + by)) };
}

// What step 3 lists, in the order of the source: marked segments and selections.
export function listRows(marked, spans, texts) {
  return [
    ...marked.map((segment) => ({ segment, quote: texts[segment], span: null })),
    ...spans.map((span) => ({ segment: span.segment, quote: span.quote, span })),
  ].sort((a, b) => a.segment - b.segment || (a.span?.start ?? -1) - (b.span?.start ?? -1));
}
