// Two tabs of one draft against a server that keeps its rules (services/tasks/drafts.py): whatever the order, no word
// is lost.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../static/js/api.js";
import { createAutosave, equal } from "../../static/js/autosave.js";
import { createJournal } from "../../static/js/journal.js";
import { createMachine } from "../../static/js/machine.js";
import { complete } from "../../static/js/steps.js";
import { restoreCopies } from "../../static/js/task-draft.js";
import { CONFLICT, initialState, transition } from "../../static/js/task-state.js";

const SCHEDULES = 100;
const STEPS = 25;

class Room {
  setItem(name, value) {
    this[name] = value;
  }
  getItem(name) {
    return this[name] ?? null;
  }
  removeItem(name) {
    delete this[name];
  }
}

// A small generator with a seed, so that a schedule that fails can be played again.
function dice(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return state / 4294967296;
  };
}

function server() {
  const draft = { revision: 0, payload: { summary: "" } };
  const kept = [];
  return {
    draft,
    kept,
    save({ revision, payload }) {
      if (revision === draft.revision) {
        Object.assign(draft, { revision: revision + 1, payload });
        return { ok: true, kind: "ok", status: 200, data: { revision: draft.revision } };
      }
      if (equal(payload, draft.payload))
        return { ok: true, kind: "ok", status: 200, data: { revision: draft.revision } };
      kept.push(payload);
      return { ok: false, kind: "stale", status: 409, data: { revision: draft.revision, theirs: draft.payload } };
    },
  };
}

// A page joined as in task.js: the same state machine, opened on the draft and on what ended pages left here.
function openTab({ site, room, tab, net, open }) {
  const journal = createJournal({ store: createStore(() => room), person: "1", task: "t", tab, clock: net.clock });
  const restored = restoreCopies({ journal, openTabs: open, draft: { ...site.draft }, complete });
  const undecided = [...restored.undecided];
  const machine = createMachine({ state: initialState("writing"), transition });
  let payload = restored.gathered.payload;
  let due = null;
  const save = createAutosave({
    revision: restored.gathered.revision,
    aside: restored.gathered.aside,
    sent: restored.gathered.sent,
    timers: {
      setTimeout: (run) => {
        due = run;
      },
      clearTimeout: () => {
        due = null;
      },
    },
    async send(body) {
      const fate = net.fate();
      if (fate === "no way") return { ok: false, kind: "offline" };
      const answer = site.save(structuredClone(body));
      return fate === "answer lost" ? { ok: false, kind: "offline" } : structuredClone(answer);
    },
    keep: {
      write(copy) {
        if (!copy.unsaved) journal.drop(undecided.splice(0));
        return journal.write(copy);
      },
    },
    onState: (saving, details) => machine.send({ type: "save-state", saving, details }),
  });
  const nothing = () => {};
  machine.handle({
    showSaveState: nothing,
    openStep: nothing,
    showConflict: nothing,
    focusSummary: nothing,
    notify: nothing,
    hideNotice: nothing,
    cancelSubmit: nothing,
    showPayload: (next) => {
      payload = next;
    },
    saveDraft: save.changed,
    saveNow: save.now,
    holdDraft: save.hold,
    replaceDraft: save.resolve,
  });
  machine.send({ type: "draft-restored", gathered: restored.gathered, draft: site.draft });
  return {
    inConflict: () => machine.state.phase === CONFLICT,
    type(word) {
      payload = { ...payload, summary: `${payload.summary}${word} ` };
      machine.send({ type: "edited", payload });
    },
    async tick() {
      const run = due;
      due = null;
      await run?.();
    },
    async decide(choice) {
      machine.send({ type: "version-chosen", choice, mine: payload });
      await save.now();
    },
  };
}

async function play(seed) {
  const roll = dice(seed);
  const pick = (list) => list[Math.floor(roll() * list.length)];
  const site = server();
  let bad = 0.3;
  let now = 0;
  const net = { fate: () => (roll() < bad ? pick(["no way", "answer lost"]) : "fine"), clock: () => (now += 1) };
  const rooms = [new Room(), new Room()]; // two devices; two tabs on the first
  const tabs = [];
  let opened = 0;
  const open = (device) => {
    const alive = new Set(tabs.filter(Boolean).map((one) => one.name));
    const name = `${(opened += 1)}`;
    return { device, name, ...openTab({ site, room: rooms[device], tab: name, net, open: alive }) };
  };
  for (const device of [0, 0, 1]) tabs.push(open(device));
  const words = [];
  for (let step = 0; step < STEPS; step += 1) {
    const at = Math.floor(roll() * tabs.length);
    const tab = tabs[at];
    const what = roll();
    if (what < 0.1) {
      tabs[at] = null; // it crashed
      tabs[at] = open(tab.device);
    } else if (tab.inConflict()) await tab.decide(pick(["mine", "theirs", "both"]));
    else if (what < 0.6) {
      words.push(`w${seed}x${step}`);
      tab.type(words.at(-1));
    } else await tab.tick();
  }
  bad = 0;
  for (let round = 0; round < 6; round += 1)
    for (const tab of tabs) await (tab.inConflict() ? tab.decide("both") : tab.tick());
  const stored = JSON.stringify([site.draft, site.kept, ...rooms]);
  return { lost: words.filter((word) => !stored.includes(`${word} `)), words: words.length };
}

test(`${SCHEDULES} schedules of three tabs on two devices with a bad network and crashes lose no word`, async () => {
  let words = 0;
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const done = await play(seed);
    assert.deepEqual(done.lost, [], `schedule ${seed}`);
    words += done.words;
  }
  assert.ok(words > 500);
});
