import assert from "node:assert/strict";
import { test } from "node:test";

import { createStore } from "../../static/js/api.js";
import { createJournal, openPages } from "../../static/js/journal.js";

// What localStorage is, for a test.
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
let now = 1000;
function journal(room, tab, person = "7", task = "t1") {
  return createJournal({ store: createStore(() => room), person, task, tab, clock: () => (now += 1) });
}
const copy = (summary, unsaved = true) => ({ payload: { summary }, revision: 1, unsaved });
const texts = (rows) => rows.map((row) => row.payload.summary);

test("two tabs keep two copies, and neither writes over the other", () => {
  const room = new Room();
  journal(room, "a").write(copy("from a"));
  journal(room, "b").write(copy("from b"));
  journal(room, "b").write(copy("from b", false));
  assert.deepEqual(texts(journal(room, "c").left()), ["from a"]);
});

test("the newest comes first, and open pages look after their own", () => {
  const room = new Room();
  for (const tab of ["a", "b", "c"]) journal(room, tab).write(copy(tab));
  assert.deepEqual(texts(journal(room, "d").left(new Set(["c"]))), ["b", "a"]);
});

test("another person and another task see nothing of it", () => {
  const room = new Room();
  journal(room, "a").write(copy("mine"));
  assert.deepEqual(journal(room, "b", "8").left(), []);
  assert.deepEqual(journal(room, "b", "7", "t2").left(), []);
  assert.deepEqual(journal(room, "b", "77").left(), []);
});

test("what the server has and what was handed in leaves no text behind", () => {
  const room = new Room();
  journal(room, "a").write(copy("x"));
  journal(room, "a").write(copy("x", false));
  assert.deepEqual(Object.keys(room), []);
  journal(room, "a").write(copy("x"));
  journal(room, "b").write(copy("y"));
  journal(room, "b").clear();
  assert.deepEqual(Object.keys(room), []);
});

test("a browser without room says so", () => {
  const full = {
    setItem() {
      throw new Error("full");
    },
    getItem: () => null,
  };
  assert.equal(journal(full, "a").write(copy("x")), false);
});

test("after sixty days nobody comes back for it", () => {
  const room = new Room();
  journal(room, "a").write(copy("x"));
  journal(room, "b").tidy();
  assert.equal(Object.keys(room).length, 1);
  now += 61 * 24 * 3600 * 1000;
  journal(room, "b").tidy();
  assert.equal(Object.keys(room).length, 0);
});

test("without locks every other page counts as ended", async () => {
  assert.deepEqual(await openPages("a", undefined).open(["b"]), new Set());
});

test("a page that has just ended is waited for, an open one is not waited for long", async () => {
  let looks = 0;
  const held = () => (looks < 3 ? ["b", "c"] : ["c"]).map((name) => ({ name: `epitome-page:${name}` }));
  const locks = {
    query: async () => {
      looks += 1;
      return { held: held() };
    },
  };
  assert.deepEqual(await openPages("a", locks).open(["b"], { wait: async () => {} }), new Set());
  assert.equal(looks, 3);
  assert.deepEqual(await openPages("a", locks).open(["b", "c"], { wait: async () => {} }), new Set(["c"]));
  assert.equal(looks, 23);
});
