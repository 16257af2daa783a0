// node measure.mjs IN.json OUT.json: what the browser counts for each case. Offsets leave in code points.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { bandInWords, countWords, lengthReport } from "../../static/js/measures.js";
import { toPoints } from "../../static/js/offsets.js";
import { compression, copiedRuns, extractiveness, indexSource } from "../../static/js/overlap.js";
import { topicHits, topicShare, topicWords } from "../../static/js/topics.js";

const known = new Map(); // sources that came before, as the page keeps its one
function indexed({ segments, domain, key }) {
  if (key === undefined) return indexSource(segments, domain);
  if (!known.has(key)) known.set(key, indexSource(segments, domain));
  return known.get(key);
}

export function measure(given) {
  const { text, segments, topics, band, base } = given;
  const source = indexed(given);
  const range = bandInWords(band, base);
  const low = topicHits(text, topics);
  const points = (place) => [place.segment, toPoints(segments[place.segment].text, place.start), toPoints(segments[place.segment].text, place.end)];
  return {
    words: countWords(text),
    ratio: lengthReport(text, base, band).ratio,
    band: range && [range.low, Number.isFinite(range.high) ? range.high : null],
    compression: compression(text, source),
    extractiveness: extractiveness(text, source),
    runs: copiedRuns(text, source).map((run) => [toPoints(text, run.start), toPoints(text, run.end), run.places.map(points)]),
    topic: topicShare(text, topics),
    found: topics.map((topic, i) => topicWords(topic).map((word) => low[i].found.includes(word))),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [from, to] = process.argv.slice(2);
  writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, "utf8")).map(measure)));
}
