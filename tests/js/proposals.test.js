import assert from "node:assert/strict";
import { test } from "node:test";

import { copiedRuns, indexSource } from "../../static/js/overlap.js";
import { decide, open, propose } from "../../static/js/proposals.js";
import { speakerRuns } from "../../static/js/speakers.js";
import { topicPlaces } from "../../static/js/topics.js";

const texts = [
  "🚢 The last boat from Calder Point leaves late at night.",
  "The regional council voted on Tuesday to pay for the crossing.",
  "Fares will rise for visitors, while islanders keep the present price.",
];
const segments = texts.map((text, i) => ({ speaker: i % 2 ? "Bo" : "Ann", text }));
const source = indexSource(segments, "document");
const summary = "last boat from Calder Point leaves, and islanders keep the present price; The regional council";
const offer = (given = {}) =>
  propose({ runs: copiedRuns(summary, source), text: summary, texts, marked: [], spans: [], ...given });

test("long shared runs that are not marked are proposed, in code points and in the order of the source", () => {
  assert.deepEqual(
    offer().map(({ segment, start, quote, decision }) => [segment, start, quote, decision]),
    [
      [0, 6, "last boat from Calder Point", "proposed"],
      [2, 36, "islanders keep the present", "proposed"],
    ],
  );
  for (const one of offer()) assert.equal([...texts[one.segment]].slice(one.start, one.end).join(""), one.quote);
});

test("what is marked, selected or proposed already is not proposed", () => {
  assert.deepEqual(
    offer({ marked: [0] }).map((one) => one.segment),
    [2],
  );
  assert.deepEqual(
    offer({ spans: [{ segment: 2, start: 40, end: 45, quote: "" }] }).map((one) => one.segment),
    [0],
  );
  assert.deepEqual(offer({ proposals: offer() }), []);
});

test("each decision is kept", () => {
  const before = offer();
  const after = decide(decide(before, before[0], "accepted"), before[1], "rejected");
  assert.deepEqual(
    after.map((one) => one.decision),
    ["accepted", "rejected"],
  );
  assert.deepEqual([open(before).length, open(after).length], [2, 0]);
});

test("topic words are found where they are counted, and speakers by the turns their runs stand in", () => {
  const text = "Boats left; the BOAT's crew (a lifeboat) stayed.";
  assert.deepEqual(
    topicPlaces(text, ["late boat"]).map(([from, to]) => text.slice(from, to)),
    ["Boat", "BOAT", "boat"],
  );
  assert.deepEqual(topicPlaces(text, []), []);
  assert.deepEqual(
    speakerRuns(copiedRuns(summary, source), segments, ["Ann", "Bo", "Cy"]).map((one) => one.runs),
    [2, 1, 0],
  );
});
