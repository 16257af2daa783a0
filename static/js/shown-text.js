// A transcript's turn as people read it: without the transcriber's marks ({vocalsound}), punctuation next to its word.
// Only what is shown changes; places in it are turned into places in the stored text and back. Same rules as
// epitome/text/transcripts.py.
const RULES = [
  {
    out: /\{[a-z]+(?:[ _-][a-z]+)*\}|\[(?:inaudible|unintelligible|laugh(?:ter|s)?|cross-?talk|applause|pause)\b[^\]\n]{0,20}\]/gi,
  },
  { out: /\s+/g, kept: 1 },
  { out: /^\s|\s$/g },
  { out: /\s(?=[,.?!;:](?:[\s,.?!;:]|$)|(?:n['’]t|['’](?:s|m|re|ve|ll|d))(?![\p{L}\p{N}]))/giu },
  { out: /^(?:[,;:]+|\.(?=\s))\s?|[,;:]+(?=[.?!,;:])/g },
];

const STORED = new WeakMap(); // element: for each UTF-16 unit that it shows, the unit of the stored text

// {text, places}: what is shown, and where each of its units stands in the stored text.
export function cleanTurn(stored) {
  const spaced = stored.replace(/\s/g, " ");
  let text = spaced;
  let places = Array.from({ length: stored.length }, (_, i) => i);
  for (const { out, kept = 0 } of RULES) {
    const left = new Set();
    for (const match of text.matchAll(out))
      for (let i = match.index + kept; i < match.index + match[0].length; i += 1) left.add(i);
    if (!left.size) continue;
    places = places.filter((_, i) => !left.has(i));
    text = places.map((place) => spaced[place]).join("");
  }
  return text ? { text, places } : { text: stored, places: Array.from({ length: stored.length }, (_, i) => i) };
}

// Show a segment in its element: a turn (with a speaker) cleaned, other text as it is stored.
export function showSegment(element, { text, speaker }) {
  const shown = speaker ? cleanTurn(text) : { text, places: null };
  // Markup turns CR LF into LF; offsets need the text as it is.
  if (element.textContent !== shown.text) element.textContent = shown.text;
  if (shown.places && shown.text !== text) STORED.set(element, shown.places);
  else STORED.delete(element);
}

// A half-open range of the stored text in what the element shows; null if all of it is left out there.
export function toShown(element, from, to) {
  const places = STORED.get(element);
  if (!places) return { from, to };
  const at = (unit) => {
    const next = places.findIndex((place) => place >= unit);
    return next < 0 ? places.length : next;
  };
  const range = { from: at(from), to: at(to) };
  return range.from < range.to ? range : null;
}

// A half-open, non-empty range of what the element shows in the stored text.
export function toStored(element, from, to) {
  const places = STORED.get(element);
  return places ? { from: places[from], to: places[to - 1] + 1 } : { from, to };
}
