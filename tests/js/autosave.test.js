import assert from "node:assert/strict";
import { test } from "node:test";

import { createAutosave, equal, gather, MOST, reconcile } from "../../static/js/autosave.js";

// Timers run by hand; send() answers from a list; every state is written down.
function setUp(answers, revision = 3) {
  const seen = { sent: [], states: [], local: null };
  let due = null;
  const timers = {
    setTimeout: (run, delay) => {
      due = { run, delay };
      return due;
    },
    clearTimeout: () => {
      due = null;
    },
  };
  const save = createAutosave({
    revision,
    timers,
    send: async (body) => {
      seen.sent.push(body);
      return answers.shift();
    },
    keep: {
      write: (copy) => {
        seen.local = copy;
      },
    },
    onState: (state, details) => seen.states.push([state, details]),
  });
  const tick = async () => {
    const now = due;
    due = null;
    await now?.run();
    return now?.delay;
  };
  return { save, seen, tick, waits: () => due?.delay ?? null, last: () => seen.states.at(-1)[0] };
}
const ok = (revision) => ({ ok: true, kind: "ok", data: { revision, saved_at: "2026-01-01T12:04:00Z" } });

test("a pause of 800 ms, then the revision and the text are sent", async () => {
  const { save, seen, tick, last } = setUp([ok(4), ok(5)]);
  save.changed({ summary: "a" });
  save.changed({ summary: "ab" });
  assert.equal(await tick(), 800);
  assert.deepEqual(seen.sent, [{ revision: 3, payload: { summary: "ab" } }]);
  assert.equal(last(), "saved");
  save.changed({ summary: "abc" });
  await tick();
  assert.equal(seen.sent[1].revision, 4);
});

test("the local copy is there before the server answers, and marked unsaved", () => {
  const { save, seen } = setUp([]);
  save.changed({ summary: "a" });
  assert.deepEqual(seen.local, { payload: { summary: "a" }, revision: 3, unsaved: true });
});

test("typing during a save is not called saved", async () => {
  let release;
  const states = [];
  const save = createAutosave({
    revision: 0,
    timers: { setTimeout: () => 1, clearTimeout() {} },
    send: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
    keep: { write() {} },
    onState: (state) => states.push(state),
  });
  save.changed({ summary: "a" });
  const going = save.now();
  save.changed({ summary: "ab" });
  release(ok(1));
  await going;
  assert.ok(!states.includes("saved"));
  assert.equal(save.unsaved, true);
});

for (const [kind, state] of [
  ["broken", "error"],
  ["offline", "offline"],
  ["session", "session"],
]) {
  test(`after "${kind}" it says so, keeps the text and tries again`, async () => {
    const { save, seen, tick, waits, last } = setUp([{ ok: false, kind }, { ok: false, kind }, ok(4)]);
    save.changed({ summary: "a" });
    await tick();
    assert.equal(last(), state);
    assert.ok(!seen.states.some(([name]) => name === "saved"));
    assert.equal(seen.local.unsaved, true);
    assert.equal(waits(), 5000);
    await tick();
    assert.equal(waits(), 10000);
    await tick();
    assert.equal(last(), "saved");
    assert.equal(seen.local.unsaved, false);
  });
}

test("2xx without a revision is not saved", async () => {
  const { save, tick, last } = setUp([{ ok: true, kind: "ok", data: {} }]);
  save.changed({ summary: "a" });
  await tick();
  assert.equal(last(), "error");
});

test("a refusal shows its reason and is tried again late", async () => {
  const { save, seen, tick, waits } = setUp([{ ok: false, kind: "refused", data: { detail: "Too long." } }]);
  save.changed({ summary: "a" });
  await tick();
  assert.deepEqual(seen.states.at(-1), ["refused", { kept: true, detail: "Too long." }]);
  assert.equal(waits(), 30000);
  assert.equal(save.unsaved, true);
});

test("a stale write shows both texts and sends nothing until somebody decides", async () => {
  const stale = { ok: false, kind: "stale", data: { revision: 6, theirs: { summary: "theirs" } } };
  const { save, seen, tick, waits, last } = setUp([stale, ok(7)]);
  save.changed({ summary: "mine" });
  await tick();
  assert.deepEqual(seen.states.at(-1), ["conflict", { kept: true, theirs: { summary: "theirs" }, revision: 6 }]);
  save.changed({ summary: "mine, more" });
  assert.equal(waits(), null);
  assert.equal(seen.local.payload.summary, "mine, more");
  await save.resolve({ summary: "decided" }, 6);
  assert.deepEqual(seen.sent.at(-1), { revision: 6, payload: { summary: "decided" } });
  assert.equal(last(), "saved");
});

test("an answer lost on the way is no conflict", async () => {
  const stale = { ok: false, kind: "stale", data: { revision: 4, theirs: { title: "", summary: "mine" } } };
  const { save, tick, last } = setUp([stale]);
  save.changed({ summary: "mine", title: "" });
  await tick();
  assert.equal(last(), "saved");
  assert.equal(save.revision, 4);
});

test("after a submit nothing is sent any more", async () => {
  const { save, seen, waits } = setUp([]);
  save.stop();
  save.changed({ summary: "late" });
  await save.now();
  assert.equal(waits(), null);
  assert.deepEqual(seen.sent, []);
});

test("what was kept here and never arrived comes back", () => {
  const server = { payload: { summary: "old" }, revision: 3 };
  const stored = { payload: { summary: "old" }, unsaved: false, theirs: null, revision: 3, sent: [] };
  assert.deepEqual(reconcile(null, server), stored);
  assert.deepEqual(reconcile({ payload: { summary: "old" }, revision: 2, unsaved: true }, server), stored);
  assert.deepEqual(reconcile({ payload: { summary: "new" }, revision: 3, unsaved: false }, server), stored);
  assert.deepEqual(reconcile({ payload: { summary: "new" }, revision: 3, unsaved: true }, server), {
    payload: { summary: "new" },
    unsaved: true,
    theirs: null,
    revision: 3,
    sent: [],
  });
});

test("a kept text over a newer draft stays a conflict, also after another reload", () => {
  const server = { payload: { summary: "old" }, revision: 3 };
  const found = reconcile({ payload: { summary: "new" }, revision: 2, unsaved: true }, server);
  assert.deepEqual([found.unsaved, found.theirs, found.revision], [true, { summary: "old" }, 2]);
  const { save, seen } = setUp([], found.revision);
  save.hold();
  save.changed({ summary: "new, more" });
  assert.deepEqual(reconcile(seen.local, server).theirs, { summary: "old" });
});

test("a save that arrived without an answer is no second version", async () => {
  const stale = { ok: false, kind: "stale", status: 409, data: { revision: 4, theirs: { summary: "a" } } };
  const { save, seen, tick, last } = setUp([{ ok: false, kind: "offline" }, stale, ok(5)]);
  save.changed({ summary: "a" });
  await tick();
  save.changed({ summary: "a b" });
  await tick();
  await tick();
  assert.deepEqual(seen.sent.at(-1), { revision: 4, payload: { summary: "a b" } });
  assert.equal(last(), "saved");
  assert.ok(!seen.states.some(([state]) => state === "conflict"));
});

test("nor is one whose page ended before the answer, whether it arrives before or after the next page opens", () => {
  const { save, seen } = setUp([new Promise(() => {})]);
  save.changed({ summary: "a" });
  save.now();
  save.changed({ summary: "a b" });
  const early = reconcile(seen.local, { payload: { summary: "a" }, revision: 4 });
  assert.deepEqual([early.payload, early.theirs, early.revision], [{ summary: "a b" }, null, 4]);
  const late = reconcile(seen.local, { payload: { summary: "" }, revision: 3 });
  assert.deepEqual([late.theirs, late.revision, late.sent], [null, 3, [{ summary: "a" }]]);
  const other = reconcile(seen.local, { payload: { summary: "x" }, revision: 4 });
  assert.deepEqual([other.theirs, other.revision], [{ summary: "x" }, 3]);
});

test("the order of keys does not make two drafts differ", () => {
  assert.ok(equal({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }));
  assert.ok(!equal({ a: [1, 2] }, { a: [2, 1] }));
});

test("who types without a pause is saved all the same", async () => {
  let now = 0;
  const waits = [];
  const save = createAutosave({
    revision: 0,
    clock: () => now,
    timers: { setTimeout: (_run, delay) => waits.push(delay), clearTimeout() {} },
    send: async () => ok(1),
    keep: { write() {} },
    onState() {},
  });
  for (; now <= MOST; now += 500) save.changed({ summary: "a".repeat(now) });
  assert.deepEqual(waits.slice(0, 2), [800, 800]);
  assert.equal(waits.at(-2), 500);
  assert.equal(waits.at(-1), 0);
});

test("a server that asks for time is given it, but no more than a minute", async () => {
  const busy = (after) => ({ ok: false, kind: "broken", after });
  const { save, tick, waits } = setUp([busy(17), busy(4000)]);
  save.changed({ summary: "a" });
  await tick();
  assert.equal(waits(), 17000);
  await tick();
  assert.equal(waits(), 60000);
});

test("somebody else's account is told apart, and nothing is lost by it", async () => {
  const { save, seen, tick, last } = setUp([
    { ok: false, kind: "refused", status: 404, data: { detail: "No." } },
    ok(4),
  ]);
  save.changed({ summary: "a" });
  await tick();
  assert.equal(last(), "gone");
  assert.equal(seen.local.unsaved, true);
  await save.now();
  assert.equal(last(), "saved");
});

test("a browser that keeps no copy is said to keep none", async () => {
  const states = [];
  const save = createAutosave({
    revision: 0,
    timers: { setTimeout: () => 1, clearTimeout() {} },
    send: async () => ({ ok: false, kind: "offline" }),
    keep: { write: () => false },
    onState: (state, details) => states.push([state, details.kept]),
  });
  save.changed({ summary: "a" });
  await save.now();
  assert.deepEqual(states.at(-1), ["offline", false]);
});

test("the text decided against is put aside on the server before the local copy goes", async () => {
  const aside = { ok: false, kind: "stale", data: { revision: 7, theirs: { summary: "mine" } } };
  const { save, seen, tick } = setUp([
    { ok: false, kind: "stale", data: { revision: 6, theirs: { summary: "theirs" } } },
    ok(7),
    aside,
  ]);
  save.changed({ summary: "mine" });
  await tick();
  await save.resolve({ summary: "mine" }, 6, [{ summary: "theirs" }]);
  assert.deepEqual(seen.sent.slice(1), [
    { revision: 6, payload: { summary: "mine" } },
    { revision: 6, payload: { summary: "theirs" } },
  ]);
  assert.equal(seen.local.unsaved, false);
});

test("copies of several pages that ended are all brought back, the newest first", () => {
  const server = { payload: { summary: "old" }, revision: 3 };
  const copy = (summary, revision = 3) => ({ payload: { summary }, revision, unsaved: true });
  const found = gather([copy("new"), copy("old"), copy("other", 2), copy("new")], server);
  assert.deepEqual([found.payload, found.theirs, found.others], [{ summary: "new" }, null, [{ summary: "other" }]]);
  assert.deepEqual(gather([], server).others, []);
});
