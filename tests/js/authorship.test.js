import assert from "node:assert/strict";
import { test } from "node:test";

import { countChange, createRecord } from "../../static/js/authorship.js";
import { even, originOf, standsIn } from "../../static/js/pasted.js";

const SOURCE = even(
  "The last boat from Calder Point to the island will once again leave at 11:40 at night. 🚢 Fares rise.",
);

// Every piece, one after the other: what standsIn must agree with.
function longestCommon(a, b) {
  let most = 0;
  for (let i = 0; i < a.length; i += 1)
    for (let j = i + 1; j <= a.length; j += 1) if (j - i > most && b.includes(a.slice(i, j))) most = j - i;
  return most;
}

test("a paste is from the source when four fifths of it stand there in one piece", () => {
  const words = SOURCE.split(" ");
  let n = 0;
  for (let from = 0; from < words.length; from += 3) {
    for (const noise of ["", "x", " quite", " entirely other words", "—"]) {
      for (const text of [
        words.slice(from, from + 6).join(" ") + noise,
        noise + words.slice(from, from + 4).join(" "),
      ]) {
        const looked = even(text);
        assert.equal(standsIn(looked, SOURCE), longestCommon(looked, SOURCE) >= Math.ceil(looked.length * 0.8), looked);
        n += 1;
      }
    }
  }
  assert.ok(n > 60);
});

test("white space does not matter, case does", () => {
  assert.equal(originOf("Calder\n   Point to\tthe island", { source: SOURCE }), "source");
  assert.equal(originOf("CALDER POINT TO THE ISLAND", { source: SOURCE }), "outside");
  assert.equal(originOf(" \n ", { source: SOURCE }), null);
});

test("one's own words moved about are neither, and several turns copied at once are from the source", () => {
  assert.equal(originOf("my own words", { source: SOURCE, own: ["Here are my own  words."] }), "own");
  const turns = "12\nAmara Okafor\nGood, agreed.\n13\nTomasz Wilk\nIt was.";
  assert.equal(originOf(turns, { source: SOURCE }), "outside");
  assert.equal(originOf(turns, { source: SOURCE, taken: [`${turns}\n`] }), "source");
});

function typing() {
  let now = 0;
  const record = createRecord({ page: "p", clock: () => now });
  const origin = (text) => originOf(text, { source: SOURCE });
  const event = (type, text, after, start = text.length, end = start) =>
    countChange(record, { type, before: { text, start, end }, after, origin });
  return {
    record,
    event,
    wait: (ms) => {
      now += ms;
    },
  };
}

test("typing, deleting and runs of typing are counted in characters a reader sees", () => {
  const { record, event, wait } = typing();
  event("insertText", "", "🚢a");
  wait(500);
  event("insertText", "🚢a", "🚢ab");
  event("deleteContentBackward", "🚢ab", "🚢a");
  wait(5000);
  event("insertText", "🚢a", "🚢ac");
  assert.deepEqual(record.counts(), { page: "p", typed: 4, deleted: 1, bursts: 2, longest_burst: 3, pastes: [] });
});

test("a paste counts by its size and origin, and what it replaced as deleted", () => {
  const { record, event } = typing();
  event("insertFromPaste", "Keep this.", "Keep Calder Point to the island.", 5, 9);
  event("insertFromDrop", "", "Words of somebody else entirely.", 0, 0);
  event("historyUndo", "abc", "");
  const { pastes, deleted, typed } = record.counts();
  assert.deepEqual(
    { pastes, deleted, typed },
    {
      pastes: [
        { size: 26, origin: "source" },
        { size: 32, origin: "outside" },
      ],
      deleted: 4,
      typed: 0,
    },
  );
});

test("much text at once is a paste, however it came in", () => {
  const { record, event } = typing();
  const much = "A sentence that a program or a tool has put in.";
  event("insertText", "", much);
  assert.deepEqual(record.counts().pastes, [{ size: much.length, origin: "outside" }]);
});

test("letters that are being composed are counted once", () => {
  const { record, event } = typing();
  event("insertCompositionText", "", "k");
  event("insertCompositionText", "k", "か");
  event("insertCompositionText", "か", "かん");
  event("insertCompositionText", "かん", "感");
  assert.equal(record.counts().typed, 2);
  assert.equal(record.counts().deleted, 0);
});

test("a list of pastes stays short, and nothing of their sizes is lost", () => {
  const { record } = typing();
  for (let n = 0; n < 130; n += 1) record.pasted(10, n % 2 ? "source" : "outside");
  const { pastes } = record.counts();
  assert.equal(pastes.length, 100);
  assert.equal(
    pastes.reduce((sum, one) => sum + one.size, 0),
    1300,
  );
});
