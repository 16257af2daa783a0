import assert from "node:assert/strict";
import { test } from "node:test";

import { compression, copiedRuns, extractiveness, indexSource } from "../../static/js/overlap.js";

const said = (...texts) => texts.map((text) => ({ speaker: "", text }));
const CAT = said("the cat sat on the mat.", "It purred.");
const quotes = (text, segments) =>
  copiedRuns(text, indexSource(segments, "document")).map((run) => text.slice(run.start, run.end));

test("extractiveness is the mean share of two- and three-word sequences", () => {
  const source = indexSource(CAT, "document");
  assert.equal(extractiveness("the cat sat", source), 1);
  assert.equal(extractiveness("the mat It", source), 1); // full stops separate words, sequences run on
  assert.equal(extractiveness("the mat.It", source), 1);
  assert.equal(extractiveness("a dog ran", source), 0);
  assert.equal(extractiveness("The cat sat", source), (1 / 2 + 0) / 2); // case counts
  assert.equal(extractiveness("", source), 0);
  assert.equal(extractiveness("the cat ran", source), (1 / 2 + 0) / 2);
});

test("a full stop inside a word makes two of it, and white space alone between two stops is an empty word", () => {
  const source = indexSource(said("in the US today. . Then"), "document");
  assert.equal(extractiveness("in the U.S. today", source), (1 / 4 + 0) / 2);
  assert.equal(extractiveness("today Then", source), 0);
  assert.equal(extractiveness("today. . Then", source), 1);
});

test("a meeting's turns carry the speaker's name and are kept apart", () => {
  const source = indexSource(
    [
      { speaker: "Ann", text: "we start" },
      { speaker: "Bo", text: "now" },
    ],
    "dialogue",
  );
  assert.equal(extractiveness("Ann : we", source), 1);
  assert.equal(extractiveness("start now", source), 0);
  assert.equal(extractiveness("start </s> Bo", source), 1);
});

test("a copied run is as long as can be, three words at least, within one segment", () => {
  assert.deepEqual(quotes("Yes, the cat sat on a mat", CAT), ["the cat sat on"]);
  assert.deepEqual(quotes("the cat ran", CAT), []);
  assert.deepEqual(quotes("on the mat. It purred", CAT), ["on the mat"]); // not across segments, no stop at its end
  assert.deepEqual(quotes("the cat  sat on", CAT), []); // blanks count
});

test("a run has every place where it stands, and two runs may overlap", () => {
  const segments = said("a b c d", "x b c d e", "a b c d");
  const [first, second] = copiedRuns("a b c d e", indexSource(segments, "document"));
  assert.deepEqual(first, {
    start: 0,
    end: 7,
    places: [
      { segment: 0, start: 0, end: 7 },
      { segment: 2, start: 0, end: 7 },
    ],
  });
  assert.deepEqual(second, { start: 2, end: 9, places: [{ segment: 1, start: 2, end: 9 }] });
});

test("compression is source words by summary words", () => {
  assert.equal(compression("one two", indexSource(CAT, "document")), 4);
  assert.equal(compression(" ", indexSource(CAT, "document")), null);
});
