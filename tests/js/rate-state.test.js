// The states of the page that rates one item: which events lead where, and what is to be done on the way.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ANSWERING,
  chooseQuestion,
  chosenSide,
  CLAIMING,
  CLOSED,
  initialState,
  leaveAnswered,
  LEAVING,
  listUnanswered,
  nextUnanswered,
  SENDING,
  transition,
  WAITING,
} from "../../static/js/rate-state.js";

const payload = { answers: { clear: { answer: "yes", unsure: false } }, note: "" };
const FINISH = [["stopSaving"], ["clearJournal"]];

// Sends events one after the other; answers the last state and all effects.
function play(state, ...events) {
  const effects = [];
  for (const event of events) {
    const next = transition(state, event);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}
const sending = (name, answer = {}) => ({ type: "submit-state", sending: name, answer });
const edited = { type: "edited", payload, pristine: false };
const sent = (data) => play(initialState(true), sending("sending"), sending("sent", { data }));
const restored = (start, more = {}) =>
  play(initialState(true), { type: "answers-restored", start, revision: 4, unsent: null, ...more });

test("a closed round changes nothing", () => {
  const state = initialState(false);
  assert.equal(state.phase, CLOSED);
  assert.deepEqual(play(state, edited, { type: "submit-requested", unanswered: [], body: "{}" }), {
    state,
    effects: [],
  });
});

test("an edit is saved as a draft, but not where nothing was ever answered", () => {
  assert.deepEqual(play(initialState(true), edited).effects, [["saveDraft", payload]]);
  assert.deepEqual(play(initialState(true), { ...edited, pristine: true }).effects, []);
});

test("unanswered questions are named and nothing is sent", () => {
  const { state, effects } = play(initialState(true), { type: "submit-requested", unanswered: [0, 2], body: "{}" });
  assert.deepEqual([state.phase, effects], [ANSWERING, [["sayUnanswered", [0, 2]]]]);
});

test("answers are sent once, however often somebody asks", () => {
  const asked = { type: "submit-requested", unanswered: [], body: "{}" };
  assert.deepEqual(play(initialState(true), asked).effects, [["submit", "{}"]]);
  for (const phase of [SENDING, WAITING]) assert.deepEqual(play({ phase, theirs: null }, asked).effects, []);
});

test("an edit takes back what waits to be sent, but not what is on its way", () => {
  const waiting = play(initialState(true), sending("sending"), sending("waiting", { kind: "offline" }));
  assert.equal(waiting.state.phase, WAITING);
  assert.deepEqual(waiting.effects.at(-1), ["sayWaiting", "offline"]);
  const back = play(waiting.state, edited);
  assert.equal(back.state.phase, ANSWERING);
  assert.deepEqual(back.effects, [["cancelSubmit"], ["clearStatus"], ["saveDraft", payload]]);
  const onItsWay = play(play(initialState(true), sending("sending")).state, edited);
  assert.deepEqual([onItsWay.state.phase, onItsWay.effects], [SENDING, [["saveDraft", payload]]]);
});

test("refused answers can be changed and sent again", () => {
  const { state, effects } = play(
    initialState(true),
    sending("sending"),
    sending("refused", { data: { detail: "why" } }),
  );
  assert.equal(state.phase, ANSWERING);
  assert.deepEqual(effects.at(-1), ["say", "refused", { detail: "why" }]);
});

test("stored answers lead to the next item, home with the reason, or to a claim", () => {
  const next = sent({ next: { page: "/items/2/" } });
  assert.deepEqual([next.state.phase, next.effects.slice(-3)], [LEAVING, [...FINISH, ["open", "/items/2/"]]]);
  const none = sent({ next: null, reason: "done" });
  assert.deepEqual([none.state.phase, none.effects.slice(-3)], [LEAVING, [...FINISH, ["openHome", "done"]]]);
  const busy = sent({ next: null, reason: "busy" });
  assert.deepEqual([busy.state.phase, busy.effects.slice(-3)], [CLAIMING, [...FINISH, ["claimNext"]]]);
});

test("a claim is tried again until there is an answer", () => {
  const claiming = sent({ next: null }).state;
  const claimed = (answer) => play(claiming, { type: "claimed", answer });
  const failed = claimed({ ok: false, status: 0, kind: "offline" });
  assert.deepEqual([failed.state.phase, failed.effects], [CLAIMING, [["sayWaiting", "offline"], ["claimLater"]]]);
  assert.deepEqual(claimed({ ok: true, status: 204 }).effects, [["openHome", "all_yours"]]);
  assert.deepEqual(claimed({ ok: true, status: 200, data: { page: "/items/3/" } }).effects, [["open", "/items/3/"]]);
  assert.deepEqual(play(claiming, edited).effects, []);
});

test("answers that never reached the server are shown and saved; over newer ones a person decides first", () => {
  assert.deepEqual(restored({ unsaved: false, payload }).effects, []);
  const unsaved = restored({ unsaved: true, payload, theirs: null });
  assert.deepEqual(unsaved.effects, [
    ["fillAnswers", payload],
    ["say", "restored"],
    ["saveDraft", payload],
  ]);
  const both = restored({ unsaved: true, payload, theirs: { answers: {}, note: "x" } });
  assert.deepEqual(both.effects, [["fillAnswers", payload], ["say", "restored"], ["showConflict"], ["holdDraft"]]);
  const chosen = play(both.state, { type: "keep-mine", payload });
  assert.deepEqual(chosen.effects, [["hideConflict"], ["replaceDraft", payload, 4]]);
  assert.equal(chosen.state.theirs, null);
});

test("finished answers that an earlier page could not send are sent", () => {
  assert.deepEqual(restored({ unsaved: false, payload }, { unsent: "{}" }).effects, [["submit", "{}"]]);
});

test("a conflict while saving is decided over the revision that was in the way", () => {
  const details = { theirs: { answers: {}, note: "" }, revision: 9 };
  const { state, effects } = play(initialState(true), { type: "save-state", saving: "conflict", details });
  assert.deepEqual(effects, [["showSaveState", "conflict", details], ["showConflict"]]);
  assert.deepEqual(play(state, { type: "keep-mine", payload }).effects.at(-1), ["replaceDraft", payload, 9]);
  assert.deepEqual(play(state, { type: "take-theirs" }).effects, [["clearJournal"], ["reload"]]);
});

test("after an answer comes the next unanswered required question, then the first one", () => {
  const questions = [{ required: true }, { required: false }, { required: true }, { required: true }];
  const unanswered = listUnanswered(questions, ["", "", "", "yes"]);
  assert.deepEqual(unanswered, [0, 2]);
  assert.equal(nextUnanswered(unanswered, 1), 2);
  assert.equal(nextUnanswered(unanswered, 3), 0);
  assert.equal(nextUnanswered([], 3), null);
});

test("unsure stays with the question just answered until another one is answered or chosen", () => {
  const first = leaveAnswered(chooseQuestion(0), [1, 2]);
  assert.deepEqual(first, { current: 1, unsure: 0 });
  const second = leaveAnswered(first, [2]);
  assert.deepEqual(second, { current: 2, unsure: 1 });
  assert.deepEqual(chooseQuestion(2), { current: 2, unsure: 2 });
  assert.deepEqual(leaveAnswered(second, []), { current: 2, unsure: 2 });
});

test("the chosen side of a pair is that of the question about the pair", () => {
  const questions = [{ about: "summary" }, { about: "pair" }];
  assert.equal(chosenSide(questions, ["a", "b"]), "b");
  assert.equal(chosenSide(questions, ["a", "tie"]), undefined);
});
