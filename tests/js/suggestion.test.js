import assert from "node:assert/strict";
import { test } from "node:test";

import { gather } from "../../static/js/autosave.js";
import { complete } from "../../static/js/steps.js";
import { holdsPieceOf, startingDraft } from "../../static/js/suggestion.js";

const EMPTY = { revision: 0, payload: {}, updated_at: null };
const TEXT = "The council pays for the late boat until April.";
const suggestion = { text: TEXT };

test("an empty draft starts from the suggestion", () => {
  assert.equal(startingDraft({ draft: EMPTY, suggestion }).payload.summary, TEXT);
  assert.equal(startingDraft({ draft: EMPTY, suggestion }).revision, 0);
});

test("a saved draft is never replaced, also when it was cleared", () => {
  for (const summary of ["My own.", ""]) {
    const draft = { revision: 1, payload: { summary }, updated_at: "2026-11-23T10:00:00Z" };
    assert.equal(startingDraft({ draft, suggestion }), draft);
  }
});

test("without a suggestion the draft stays empty", () => {
  for (const none of [null, undefined, { text: "" }]) {
    assert.equal(startingDraft({ draft: EMPTY, suggestion: none }), EMPTY);
  }
});

test("a text left in the browser wins over the suggestion, without a question", () => {
  const start = startingDraft({ draft: EMPTY, suggestion });
  for (const summary of ["What I wrote offline.", ""]) {
    const copy = { payload: complete({ summary }), revision: 0, unsaved: true };
    const gathered = gather([copy], { ...start, payload: complete(start.payload) });
    assert.equal(gathered.payload.summary, summary);
    assert.equal(gathered.unsaved, true);
    assert.equal(gathered.theirs, null);
  }
});

test("a text is shown as suggested while it holds a piece of the suggestion", () => {
  const holds = holdsPieceOf(TEXT);
  assert.equal(holds(TEXT), true);
  assert.equal(holds("So: the council\n pays for it all."), true);
  assert.equal(holds(""), false);
  assert.equal(holds("Visitors pay one crown more."), false);
});

test("a short suggestion is a piece as a whole", () => {
  assert.equal(holdsPieceOf("Yes.")("Yes. And no."), true);
  assert.equal(holdsPieceOf("Yes.")("No."), false);
  assert.equal(holdsPieceOf(" ")("No."), false);
});
