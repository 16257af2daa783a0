// Which of a topic's words stand in a text, as the published measure looks for them: case-free, also inside words.
import { isAlpha, lower, SPACES, words } from "./unicode.js";

const MARKS = "。！？｡।॥؟۔።။។،؛、，；：「」『』（）《》";
const BORDERS = new RegExp(`[${SPACES},;:@#$%&?!()[\\]{}<>"“”«»‘’\`…${MARKS}]+|--+|\\.\\.+`);
const ENDING = /(?:n't|'(?:s|m|d|ll|re|ve))$/;
const trimmed = (piece) =>
  piece
    .replace(/['.]+$/, "")
    .replace(ENDING, "")
    .replace(/^['.]+/, "");

// The alphabetic words of a topic, in lower case: "21 jump streets" has two.
export const topicWords = (topic) => lower(topic).split(BORDERS).map(trimmed).filter(isAlpha);

// Per topic: {topic, found, missing}, the words in their order.
export function topicHits(text, topics) {
  const low = lower(text);
  return topics.map((topic) => {
    const parts = topicWords(topic);
    return {
      topic,
      found: parts.filter((part) => low.includes(part)),
      missing: parts.filter((part) => !low.includes(part)),
    };
  });
}

// The share of all the topics' words that are found; topics without a word have 0. Null where no topic is asked for.
export function topicShare(text, topics) {
  if (!topics.some((topic) => words(topic).length)) return null;
  const hits = topicHits(text, topics);
  const found = hits.reduce((sum, hit) => sum + hit.found.length, 0);
  const all = hits.reduce((sum, hit) => sum + hit.found.length + hit.missing.length, 0);
  return all ? found / all : 0;
}

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Where a topic's words stand in a text: [from, to] in UTF-16 units, case aside, also inside words, as they are
// counted.
export function topicPlaces(text, topics) {
  const parts = [...new Set(topics.flatMap(topicWords))].sort((a, b) => b.length - a.length);
  if (!parts.length) return [];
  return [...text.matchAll(new RegExp(parts.map(literal).join("|"), "giu"))].map((hit) => [
    hit.index,
    hit.index + hit[0].length,
  ]);
}
