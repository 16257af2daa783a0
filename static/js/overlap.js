// Words a summary shares with its source, counted as epitome/measures counts them. Offsets are UTF-16 units, as the
// page needs them; what is stored or compared elsewhere converts them.
import { cutRuns, SPACES, words } from "./unicode.js";

export const LEAST = 3; // words in a copied run
const PIECE = new RegExp(`[^${SPACES}]+`, "g");
const JOINT = " "; // never inside a word

// For extractiveness: what stands between white space or full stops is a word, case kept. White space alone between two
// full stops, before the first or after the last is an empty word.
export function plainWords(text) {
  const list = [];
  for (const piece of text.split(".")) {
    const inner = words(piece);
    for (const word of inner) list.push(word);
    if (piece && !inner.length) list.push("");
  }
  return list;
}

export function grams(list, n) {
  const found = new Set();
  for (let at = 0; at + n <= list.length; at += 1) found.add(list.slice(at, at + n).join(JOINT));
  return found;
}

// A segment as a line of the released files: "Speaker : text", or the text where there is no speaker.
const lineOf = ({ speaker, text, raw }) => (typeof raw === "string" ? raw : speaker ? `${speaker} : ${text}` : text);

// Built once for a source: its distinct sequences for extractiveness; the words of each segment and where every three
// of them begin for the copied runs.
export function indexSource(segments, domain) {
  const line = plainWords(segments.map(lineOf).join(domain === "dialogue" ? " </s> " : " "));
  const texts = segments.map((segment) => segment.text);
  const pieces = texts.map(cores);
  const places = new Map();
  pieces.forEach((list, segment) => {
    for (let at = 0; at + LEAST <= list.length; at += 1) {
      const key = stretch(texts[segment], list, at, LEAST);
      if (places.has(key)) places.get(key).push({ segment, at });
      else places.set(key, [{ segment, at }]);
    }
  });
  const count = texts.reduce((sum, text) => sum + words(text).length, 0);
  return { two: grams(line, 2), three: grams(line, 3), words: count, texts, pieces, places };
}

// (P2 + P3) / 2 over distinct sequences; nothing to count is 0.
export function extractiveness(text, source) {
  const line = plainWords(text);
  const share = (mine, theirs) => (mine.size ? [...mine].filter((one) => theirs.has(one)).length / mine.size : 0);
  return (share(grams(line, 2), source.two) + share(grams(line, 3), source.three)) / 2;
}

// Source words / summary words; null for an empty summary.
export function compression(text, source) {
  const count = words(text).length;
  return count ? source.words / count : null;
}

// The words of a text without the full stops at their ends; a word of full stops alone is none.
function cores(text) {
  const found = [];
  for (const match of text.matchAll(PIECE)) {
    const core = match[0].replace(/^\.+|\.+$/g, "");
    let start = match.index + match[0].indexOf(core);
    for (const piece of core ? cutRuns(core) : []) {
      found.push({ start, end: start + piece.length });
      start += piece.length;
    }
  }
  return found;
}

const stretch = (text, list, at, size) => text.slice(list[at].start, list[at + size - 1].end);

// How many words match from these two places on; the first LEAST are known to.
function lengthOf(text, mine, first, source, { segment, at }) {
  const theirs = source.pieces[segment];
  const same = (size) =>
    first + size <= mine.length &&
    at + size <= theirs.length &&
    stretch(text, mine, first + size - 2, 2) === stretch(source.texts[segment], theirs, at + size - 2, 2);
  let size = LEAST;
  while (same(size + 1)) size += 1;
  return size;
}

// The runs of LEAST words or more that stand in one segment exactly so, blanks and marks included:
// [{start, end, places: [{segment, start, end}]}]. Each is as long as can be: none lies inside another, two may
// overlap.
export function copiedRuns(text, source) {
  const mine = cores(text);
  const runs = [];
  let ongoing = new Map(); // "segment at" -> how many words match from this place on
  let last = 0;
  for (let first = 0; first + LEAST <= mine.length; first += 1) {
    const found = source.places.get(stretch(text, mine, first, LEAST)) ?? [];
    ongoing = new Map(
      found.map((place) => {
        const before = ongoing.get(`${place.segment} ${place.at - 1}`);
        const size = before ? before - 1 : lengthOf(text, mine, first, source, place);
        return [`${place.segment} ${place.at}`, size];
      }),
    );
    const most = Math.max(0, ...ongoing.values());
    if (!most || first + most <= last) continue;
    last = first + most;
    const longest = found.filter((place) => ongoing.get(`${place.segment} ${place.at}`) === most);
    runs.push({
      start: mine[first].start,
      end: mine[last - 1].end,
      places: longest.map((place) => placeOf(source, place, most)),
    });
  }
  return runs;
}

function placeOf(source, { segment, at }, size) {
  const list = source.pieces[segment];
  return { segment, start: list[at].start, end: list[at + size - 1].end };
}
