import assert from "node:assert/strict";
import { test } from "node:test";

import { topicHits, topicShare, topicWords } from "../../static/js/topics.js";

test("a topic's words are its alphabetic ones", () => {
  assert.deepEqual(topicWords("21 jump Streets"), ["jump", "streets"]);
  assert.deepEqual(topicWords("3 % of 1,000"), ["of"]);
  assert.deepEqual(topicWords("2024"), []);
});

test("found and missing words are named topic by topic", () => {
  assert.deepEqual(topicHits("Fares rise by night.", ["fares", "night boat"]), [
    { topic: "fares", found: ["fares"], missing: [] },
    { topic: "night boat", found: ["night"], missing: ["boat"] },
  ]);
});

test("the share is over the words of all topics", () => {
  assert.equal(topicShare("Fares rise by night.", ["fares", "night boat"]), 2 / 3);
  assert.equal(topicShare("The boatman", ["boat"]), 1); // also inside words
  assert.equal(topicShare("Text.", ["2024"]), 0);
  assert.equal(topicShare("Text.", []), null);
  assert.equal(topicShare("Text.", [" "]), null);
});

test("letters are made small as Python makes them", () => {
  assert.equal(topicShare("ΟΔΟΣ", ["οδός".normalize("NFD")]), 0);
  assert.equal(topicShare("ΟΔΟΣ", ["οδος"]), 1); // the last sigma is final in both
  assert.equal(topicShare("İstanbul", ["İSTANBUL"]), 1); // "i" with a dot above, which belongs to its letter
  assert.equal(topicShare("पुल का बजट।", ["पुल, सड़क"]), 1 / 2); // vowel signs too
  assert.equal(topicShare("STRASSE", ["Straße"]), 0); // lower case, not folded
});
