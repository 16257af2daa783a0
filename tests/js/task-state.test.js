// The states of the task page: which events lead where, and what is to be done on the way.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CHOOSING,
  CONFLICT,
  initialState,
  LEAVING,
  mustWarn,
  nextTaskPage,
  transition,
  WRITING,
} from "../../static/js/task-state.js";
import { complete } from "../../static/js/steps.js";

const text = (summary) => complete({ summary });
const DRAFT = { revision: 3, updated_at: "2026-01-01T12:00:00Z" };
const gathered = (more = {}) => ({
  payload: text("mine"),
  unsaved: false,
  theirs: null,
  revision: 3,
  others: [],
  aside: [],
  ...more,
});

// Sends events one after the other; answers the last state and the names of all effects.
function play(state, ...events) {
  const effects = [];
  for (const event of events) {
    const next = transition(state, event);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects, names: effects.map(([name]) => name) };
}
const saving = (state, details = {}) => ({ type: "save-state", saving: state, details });
const conflict = () =>
  play(initialState("writing"), saving("conflict", { theirs: { summary: "theirs" }, revision: 7 })).state;

test("a task that is only to choose has no draft: marks and edits change nothing", () => {
  const state = initialState("choosing");
  assert.equal(state.phase, CHOOSING);
  const events = [{ type: "marked", indices: [1] }, { type: "edited", payload: text("a") }, saving("saved")];
  assert.deepEqual(play(state, ...events), { state, effects: [], names: [] });
});

test("a locked choice leads to the next task, or back to the same one where there is writing to do", () => {
  const choosing = play(initialState("choosing"), { type: "choice-locked", next: "/tasks/2/" });
  assert.equal(choosing.state.phase, LEAVING);
  assert.deepEqual(choosing.effects, [["leave", "/tasks/2/", "chosen"]]);
  const writing = play(initialState("writing"), { type: "choice-locked", next: "/tasks/2/" });
  assert.deepEqual(writing.effects, [["reloadAfterSaving", { focus: "summary", said: "frozen" }]]);
  assert.equal(writing.state.phase, WRITING);
});

test("a choice that somebody else locked first", () => {
  assert.deepEqual(play(initialState("choosing"), { type: "choice-locked-by-other" }).effects, [
    ["leave", null, "chosen"],
  ]);
  assert.deepEqual(play(initialState("writing"), { type: "choice-locked-by-other" }).effects, [["reload"]]);
});

test("a draft that the server has is shown as saved, and nothing is sent but rejected versions", () => {
  const { state, effects } = play(initialState("writing"), {
    type: "draft-restored",
    gathered: gathered(),
    draft: DRAFT,
  });
  assert.equal(state.phase, WRITING);
  assert.deepEqual(effects, [["showSaveState", "saved", { at: DRAFT.updated_at }], ["saveNow"]]);
});

test("text that never reached the server is saved and said to be back", () => {
  const restored = { type: "draft-restored", gathered: gathered({ unsaved: true }), draft: { revision: 0 } };
  const { state, effects } = play(initialState("writing"), restored);
  assert.equal(state.phase, WRITING);
  assert.deepEqual(effects, [
    ["saveDraft", text("mine")],
    ["notify", "said-restored", { warn: false }],
  ]);
});

test("versions of the server and of other pages are decided on one by one; the server keeps the rejected ones", () => {
  const versions = gathered({ unsaved: true, theirs: { summary: "server's" }, others: [{ summary: "other page's" }] });
  const opened = play(initialState("writing"), { type: "draft-restored", gathered: versions, draft: DRAFT });
  assert.equal(opened.state.phase, CONFLICT);
  assert.deepEqual(opened.names, [
    "showSaveState",
    "holdDraft",
    "saveDraft",
    "showSaveState",
    "openStep",
    "showConflict",
  ]);
  assert.deepEqual(opened.effects.at(-1), ["showConflict", text("server's")]);

  const first = play(opened.state, { type: "version-chosen", choice: "mine", mine: text("mine") });
  assert.equal(first.state.phase, CONFLICT);
  assert.deepEqual(first.effects, [
    ["showPayload", text("mine")],
    ["saveDraft", text("mine")],
    ["showConflict", text("other page's")],
  ]);

  const second = play(first.state, { type: "version-chosen", choice: "theirs", mine: text("mine") });
  assert.equal(second.state.phase, WRITING);
  const rejected = [text("server's"), text("mine")];
  assert.deepEqual(second.effects, [
    ["showPayload", text("other page's")],
    ["replaceDraft", text("other page's"), 3, rejected],
    ["focusSummary"],
  ]);
  assert.deepEqual([second.state.rejected, second.state.conflict], [[], null]);
});

test("both versions kept: nothing is rejected", () => {
  const { effects } = play(conflict(), { type: "version-chosen", choice: "both", mine: text("mine") });
  assert.deepEqual(effects[1], ["replaceDraft", text("mine\n\ntheirs"), 7, []]);
});

test("a conflict while saving is shown, and ends only when a person has chosen", () => {
  const state = conflict();
  assert.deepEqual([state.phase, state.conflict], [CONFLICT, { theirs: text("theirs"), revision: 7 }]);
  assert.equal(play(state, { type: "edited", payload: text("a") }, saving("saved")).state.phase, CONFLICT);
});

test("an edit takes back a waiting submit and saves the draft, in a conflict too", () => {
  for (const state of [initialState("writing"), conflict()]) {
    assert.deepEqual(play(state, { type: "edited", payload: text("a") }).effects, [
      ["cancelSubmit"],
      ["saveDraft", text("a")],
    ]);
  }
});

test("submit saves first, and is not sent when that ends in a conflict", () => {
  const payload = text("a");
  const requested = play(initialState("writing"), { type: "submit-requested", payload });
  assert.deepEqual(requested.effects, [["saveThenSubmit", payload]]);
  const saved = { type: "saved-before-submit", payload };
  assert.deepEqual(play(requested.state, saved).effects, [["submit", payload]]);
  assert.deepEqual(play(conflict(), saved).effects, []);
  assert.deepEqual(play(conflict(), { type: "submit-requested", payload }).effects, [["sayConflictFirst"]]);
});

test("a submitted or skipped task stops saving and leaves; what comes after changes nothing", () => {
  for (const state of [initialState("writing"), conflict()]) {
    const page = { url: "/tasks/2/" };
    const { state: next, effects } = play(state, { type: "submitted", page });
    assert.deepEqual(effects, [["stopSaving"], ["clearJournal"], ["showNext", page]]);
    const none = play(state, { type: "submitted", page: null, to: "/p/news/work/" });
    assert.deepEqual(none.effects, [["stopSaving"], ["clearJournal"], ["goTo", "/p/news/work/"]]);
    assert.deepEqual(play(next, saving("saved"), { type: "edited", payload: text("a") }), {
      state: next,
      effects: [],
      names: [],
    });
  }
  for (const kind of ["writing", "choosing"]) {
    const { effects } = play(initialState(kind), { type: "skipped", next: null });
    assert.deepEqual(effects, [["stopSaving"], ["leave", null, "skipped"]]);
  }
});

test("the notice of an ended session stays until the draft is saved again", () => {
  const ended = play(initialState("writing"), saving("session"));
  assert.deepEqual(ended.effects.at(-1), ["notify", "save-session-more", { signIn: true }]);
  const other = play(ended.state, saving("gone"), saving("saving"), saving("saved"));
  assert.deepEqual(other.names, ["showSaveState", "notify", "showSaveState", "showSaveState", "hideNotice"]);
  assert.deepEqual(play(other.state, saving("saved")).names, ["showSaveState"]);
});

test("the browser asks before closing only what could be lost", () => {
  const failing = play(initialState("writing"), saving("offline")).state;
  assert.equal(mustWarn(failing, { submitWaiting: false, unsaved: true }), true);
  assert.equal(mustWarn(failing, { submitWaiting: false, unsaved: false }), false);
  assert.equal(mustWarn(initialState("writing"), { submitWaiting: false, unsaved: true }), false);
  assert.equal(mustWarn(initialState("writing"), { submitWaiting: true, unsaved: false }), true);
});

test("the next task of the same claim has the address of this one with its own id", () => {
  const task = { id: "a1", page: "/tasks/a1/" };
  const answer = {
    unit: {
      assignments: [
        { id: "a1", state: "claimed" },
        { id: "b2", state: "submitted" },
        { id: "c3", state: "claimed" },
      ],
    },
  };
  assert.equal(nextTaskPage(task, answer), "/tasks/c3/");
  assert.equal(nextTaskPage(task, { unit: { assignments: [] } }), null);
  assert.equal(nextTaskPage(task, undefined), null);
});
