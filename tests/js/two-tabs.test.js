// Two tabs of one draft against a server that keeps its rules (services/drafting.py): whatever the order, no word is lost.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../static/js/api.js";
import { createAutosave, equal, gather } from "../../static/js/autosave.js";
import { createJournal } from "../../static/js/journal.js";
import { both } from "../../static/js/steps.js";

const SCHEDULES = 100;
const STEPS = 25;

class Room {
  setItem(name, value) { this[name] = value; }
  getItem(name) { return this[name] ?? null; }
  removeItem(name) { delete this[name]; }
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
    draft, kept,
    save({ revision, payload }) {
      if (revision === draft.revision) {
        Object.assign(draft, { revision: revision + 1, payload });
        return { ok: true, kind: "ok", status: 200, data: { revision: draft.revision } };
      }
      if (equal(payload, draft.payload)) return { ok: true, kind: "ok", status: 200, data: { revision: draft.revision } };
      kept.push(payload);
      return { ok: false, kind: "stale", status: 409, data: { revision: draft.revision, theirs: draft.payload } };
    },
  };
}

// A page as task.js joins it: opened on the draft and on what ended pages left here.
function openTab({ site, room, tab, net, open }) {
  const journal = createJournal({ store: createStore(() => room), person: "1", task: "t", tab, clock: net.clock });
  const copies = journal.left(open);
  const found = gather(copies, { ...site.draft });
  const page = { text: found.payload.summary, conflict: null, waiting: [...found.others] };
  if (found.theirs) page.waiting.unshift(found.theirs);
  let due = null;
  const save = createAutosave({
    revision: found.revision,
    aside: found.aside,
    timers: { setTimeout: (run) => { due = run; }, clearTimeout: () => { due = null; } },
    async send(body) {
      const fate = net.fate();
      if (fate === "no way") return { ok: false, kind: "offline" };
      const answer = site.save(structuredClone(body));
      return fate === "answer lost" ? { ok: false, kind: "offline" } : structuredClone(answer);
    },
    keep: {
      write(copy) {
        if (!copy.unsaved) journal.drop(undecided.splice(0).map(({ name }) => name));
        return journal.write(copy);
      },
    },
    onState(state, details) { if (state === "conflict") page.conflict = details; },
  });
  if (found.unsaved || found.aside.length) {
    journal.write({ payload: found.payload, revision: found.revision, unsaved: true, aside: found.aside });
  }
  const undecided = copies.filter(({ payload }) => found.others.some((one) => equal(one, payload)));
  journal.drop(copies.filter((copy) => !undecided.includes(copy)).map(({ name }) => name));
  const aside = [];
  if (page.waiting.length) {
    save.hold();
    save.changed(found.payload);
    page.conflict = { theirs: page.waiting.shift(), revision: site.draft.revision };
  } else if (found.unsaved) save.changed(found.payload);
  return {
    page, save,
    type(word) {
      page.text += `${word} `;
      save.changed({ summary: page.text });
    },
    async tick() { const run = due; due = null; await run?.(); },
    async decide(choice) {
      const { theirs, revision } = page.conflict;
      const mine = { summary: page.text };
      const next = { mine, theirs, both: { summary: both(mine, theirs).summary } }[choice];
      aside.push(...{ mine: [theirs], theirs: [mine], both: [] }[choice]);
      page.text = next.summary;
      page.conflict = null;
      if (page.waiting.length) {
        save.changed(next);
        page.conflict = { theirs: page.waiting.shift(), revision };
      } else await save.resolve(next, revision, aside.splice(0));
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
    } else if (tab.page.conflict) await tab.decide(pick(["mine", "theirs", "both"]));
    else if (what < 0.6) { words.push(`w${seed}x${step}`); tab.type(words.at(-1)); }
    else await tab.tick();
  }
  bad = 0;
  for (let round = 0; round < 6; round += 1) for (const tab of tabs) await (tab.page.conflict ? tab.decide("both") : tab.tick());
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
