// Words of the source that the summary repeats and its writer has not marked, proposed after the writer's own marks.
// Kept with the summary: every proposal with what became of it.
import { toPoints } from "./offsets.js";
import { words } from "./unicode.js";

export const LEAST_WORDS = 4; // shorter runs are how everybody says it
export const MOST = 8; // at one time
const KEPT = 100;

const same = (a, b) => a.segment === b.segment && a.start === b.start && a.end === b.end;
const touches = (a, b) => a.segment === b.segment && a.start < b.end && b.start < a.end;

// runs: of overlap.js, in UTF-16 units of `text`; texts: of the segments; marked: their numbers; spans: in code points.
// A run that stands in a marked place is seen to already. New proposals only, in the order of the source.
export function propose({ runs, text, texts, marked, spans, proposals = [] }) {
  const seen = new Set(marked);
  const place = ({ segment, start, end }) => ({
    segment,
    start: toPoints(texts[segment], start),
    end: toPoints(texts[segment], end),
    quote: texts[segment].slice(start, end),
  });
  const found = [];
  for (const run of [...runs].sort((a, b) => b.end - b.start - (a.end - a.start))) {
    if (words(text.slice(run.start, run.end)).length < LEAST_WORDS || found.length >= MOST) continue;
    const places = run.places.map(place);
    const known = (one) =>
      seen.has(one.segment) || [...spans, ...proposals, ...found].some((other) => touches(one, other));
    if (!places.length || places.some(known)) continue;
    found.push({ ...places[0], decision: "proposed" });
  }
  const room = Math.max(0, KEPT - proposals.length);
  return found.slice(0, room).sort((a, b) => a.segment - b.segment || a.start - b.start);
}

export const open = (proposals = []) => proposals.filter((one) => one.decision === "proposed");

export const decide = (proposals, which, decision) =>
  proposals.map((one) => (same(one, which) ? { ...one, decision } : one));
