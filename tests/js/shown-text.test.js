import assert from "node:assert/strict";
import { test } from "node:test";

import { cleanTurn, showSegment, toShown, toStored } from "../../static/js/shown-text.js";

const TURN = { speaker: "Ana", text: "{vocalsound} Fine , {disfmarker} so we do n't  need it ." };

test("marks of the transcriber are left out and punctuation stands next to its word", () => {
  assert.equal(cleanTurn(TURN.text).text, "Fine, so we don't need it.");
  assert.equal(cleanTurn("{vocalsound}").text, "{vocalsound}");
  assert.equal(cleanTurn("... and then ?").text, "... and then?");
});

test("each character that is shown is the one at its place in the stored text", () => {
  const { text, places } = cleanTurn(TURN.text);
  assert.equal(places.map((place) => TURN.text[place]).join(""), text);
});

test("a range of the stored text is found where it is shown, and back", () => {
  const element = { textContent: "" };
  showSegment(element, TURN);
  const from = element.textContent.indexOf("so we don't");
  const stored = toStored(element, from, from + "so we don't".length);
  assert.equal(TURN.text.slice(stored.from, stored.to), "so we do n't");
  const shown = toShown(element, stored.from, stored.to);
  assert.equal(element.textContent.slice(shown.from, shown.to), "so we don't");
  assert.equal(toShown(element, 0, "{vocalsound}".length), null);
});

test("a segment without a speaker is shown as it is stored", () => {
  const element = { textContent: "" };
  showSegment(element, { text: "Prices , {vocalsound} rose ." });
  assert.equal(element.textContent, "Prices , {vocalsound} rose .");
  assert.deepEqual(toStored(element, 2, 5), { from: 2, to: 5 });
});
