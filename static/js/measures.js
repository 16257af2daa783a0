// What the page counts while somebody writes. Words are white-space tokens, exactly as Python's str.split() sees them.

const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

export const words = (text) => text.split(SPACE).filter(Boolean);
export const countWords = (text) => words(text).length;

// A band of the guideline as whole words. `of` says what its numbers are: a share of the words in the relevant
// segments, or plain words. Null while there is nothing to take a share of.
export function bandInWords(band, base) {
  if (!band) return null;
  if (band.of === "words") return { low: band.low ?? 0, high: band.high ?? Infinity };
  if (!base) return null;
  const low = Math.max(1, Math.ceil((band.low ?? 0) * base - 1e-9));
  const high = band.high === null || band.high === undefined ? Infinity : Math.floor(band.high * base + 1e-9);
  return { low, high: Math.max(low, high) };
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

// "8.3" for .0834: percent with at most one digit, none from 20 on.
export function percent(share) {
  const value = share * 100;
  return value >= 20 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}

// For projects that show more: two- and three-word sequences, full stops taken out, case kept.
const plainTokens = (text) => words(text.replaceAll(".", ""));

export function grams(tokens, n) {
  const found = new Set();
  for (let i = 0; i + n <= tokens.length; i += 1) found.add(tokens.slice(i, i + n).join("\u0001"));
  return found;
}

export function indexSource(segments) {
  const dialogue = segments.some((segment) => segment.speaker);
  const lines = segments.map((s) => (dialogue ? `${s.speaker} : ${s.text}` : s.text));
  const tokens = plainTokens(lines.join(dialogue ? " </s> " : " "));
  return { two: grams(tokens, 2), three: grams(tokens, 3) };
}

// (P2 + P3) / 2 over distinct sequences; nothing to count is 0.
export function extractiveness(text, source) {
  const tokens = plainTokens(text);
  const share = (mine, theirs) => (mine.size ? [...mine].filter((gram) => theirs.has(gram)).length / mine.size : 0);
  return (share(grams(tokens, 2), source.two) + share(grams(tokens, 3), source.three)) / 2;
}

// Runs of three words or more that stand in the source too, as UTF-16 places in the text.
export function copiedRuns(text, source) {
  const pieces = [...text.matchAll(/\S+/g)].map((m) => ({ word: m[0].replaceAll(".", ""), from: m.index, to: m.index + m[0].length }));
  const tokens = pieces.filter((piece) => piece.word);
  const copied = new Set();
  for (let i = 0; i + 3 <= tokens.length; i += 1) {
    const key = tokens.slice(i, i + 3).map((token) => token.word).join("\u0001");
    if (source.three.has(key)) for (const k of [i, i + 1, i + 2]) copied.add(k);
  }
  const runs = [];
  tokens.forEach((token, i) => {
    if (!copied.has(i)) return;
    if (runs.length && copied.has(i - 1)) runs.at(-1).to = token.to;
    else runs.push({ from: token.from, to: token.to });
  });
  return runs;
}

// Which of the topic's words stand in the text: 1 when all do.
export function topicHits(text, topics) {
  const low = text.toLowerCase();
  return topics.map((topic) => {
    const parts = topic.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return { topic, share: parts.length ? parts.filter((part) => low.includes(part)).length / parts.length : 0 };
  });
}
