import assert from "node:assert/strict";
import { test } from "node:test";
import { buildQuery, createLiveList, PAUSE, watchFilters } from "../../static/js/live-filters.js";

const part = (name, text = "") => ({
  dataset: { live: name, announce: text },
  attributes: {},
  setAttribute(key, value) {
    this.attributes[key] = value;
  },
  removeAttribute(key) {
    delete this.attributes[key];
  },
});

function list(load) {
  const page = new Map([
    ["rows", part("rows")],
    ["filters", part("filters")],
  ]);
  const done = { adopted: [], said: [], shown: [], left: [] };
  const follow = createLiveList({
    parts: () => page,
    load,
    adopt: (old, next) => done.adopted.push([old.dataset.live, next.dataset.announce]),
    announce: (text) => done.said.push(text),
    show: (address) => done.shown.push(address),
    leave: (address) => done.left.push(address),
  });
  return { follow, done, page };
}

test("the query has the filled fields alone, without the page", () => {
  const entries = [
    ["q", "a b"],
    ["state", ""],
    ["page", "3"],
    ["sort", "-day"],
  ];
  assert.equal(buildQuery(entries), "q=a+b&sort=-day");
});

test("rows and filters take the place of the old ones, the address follows, the count is said", async () => {
  const answer = new Map([
    ["rows", part("rows", "new")],
    ["filters", part("filters", "3 matches")],
  ]);
  const { follow, done, page } = list(async () => answer);
  await follow("/list?q=a");
  assert.deepEqual(done.adopted, [
    ["rows", "new"],
    ["filters", "3 matches"],
  ]);
  assert.deepEqual(done.shown, ["/list?q=a"]);
  assert.deepEqual(done.said, ["3 matches"]);
  assert.deepEqual(page.get("rows").attributes, {});
});

test("an answer that comes after the next question is dropped", async () => {
  const waiting = [];
  const { follow, done } = list((address) => new Promise((give) => waiting.push([address, give])));
  const [first, second] = [follow("/list?q=a"), follow("/list?q=ab")];
  const answer = (text) => new Map([["rows", part("rows", text)]]);
  waiting[1][1](answer("ab"));
  await second;
  waiting[0][1](answer("a"));
  await first;
  assert.deepEqual(done.adopted, [["rows", "ab"]]);
  assert.deepEqual(done.shown, ["/list?q=ab"]);
});

test("an answer that is no list, such as a sign-in page, is opened", async () => {
  const { follow, done } = list(async () => null);
  await follow("/list?q=a");
  assert.deepEqual([done.left, done.shown], [["/list?q=a"], []]);
});

test("a fault of the network leaves the rows as they are", async () => {
  const { follow, done, page } = list(async () => {
    throw new TypeError("offline");
  });
  await follow("/list?q=a");
  assert.deepEqual([done.adopted, done.shown], [[], []]);
  assert.deepEqual(page.get("rows").attributes, {});
});

test("letters wait for a pause, a choice does not", () => {
  const waits = [];
  const timers = { setTimeout: (_run, time) => waits.push(time), clearTimeout: () => {} };
  let listen;
  const form = { addEventListener: (_kind, call) => (listen = call) };
  watchFilters(form, () => {}, timers);
  listen({ target: { matches: () => true } });
  listen({ target: { matches: () => false } });
  assert.deepEqual(waits, [PAUSE, 0]);
});
