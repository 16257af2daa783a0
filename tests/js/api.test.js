import assert from "node:assert/strict";
import { test } from "node:test";

import { cookie, createApi, createStore, submitKey } from "../../static/js/api.js";

const answer = (status, body) => ({
  status,
  json: async () => {
    if (body === undefined) throw new SyntaxError("html");
    return body;
  },
});
const api = (fetch) => createApi({ fetch, csrf: () => "token", timeout: 50 });

test("only 2xx with JSON is ok", async () => {
  const kinds = [];
  for (const [status, body] of [
    [200, {}],
    [201, {}],
    [200, undefined],
    [400, {}],
    [401, {}],
    [403, {}],
    [404, {}],
    [409, { code: "stale" }],
    [409, { code: "conflict" }],
    [413, undefined],
    [422, {}],
    [429, {}],
    [500, {}],
    [502, undefined],
  ]) {
    kinds.push((await api(async () => answer(status, body))("PUT", "/x/", {})).kind);
  }
  assert.deepEqual(kinds, [
    "ok",
    "ok",
    "broken",
    "refused",
    "session",
    "session",
    "refused",
    "stale",
    "conflict",
    "broken",
    "refused",
    "broken",
    "broken",
    "broken",
  ]);
});

test("no network and no answer in time are offline", async () => {
  assert.equal(
    (
      await api(async () => {
        throw new TypeError("failed");
      })("GET", "/x/")
    ).kind,
    "offline",
  );
  const never = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("a", "AbortError")));
    });
  assert.equal((await api(never)("GET", "/x/")).kind, "offline");
});

test("the CSRF token and extra headers are sent", async () => {
  let seen;
  await api(async (url, options) => {
    seen = options;
    return answer(200, {});
  })("POST", "/x/", { a: 1 }, { "Idempotency-Key": "k" });
  assert.equal(seen.headers["X-CSRFToken"], "token");
  assert.equal(seen.headers["Idempotency-Key"], "k");
  assert.equal(seen.body, '{"a":1}');
});

test("one key for one body, another for a changed body", () => {
  const held = new Map();
  const store = { read: (name) => held.get(name) ?? null, write: (name, value) => held.set(name, value) };
  let n = 0;
  const random = () => `key-${(n += 1)}`;
  assert.equal(submitKey(store, "a", "text", random), "key-1");
  assert.equal(submitKey(store, "a", "text", random), "key-1");
  assert.equal(submitKey(store, "a", "other", random), "key-2");
  assert.equal(submitKey(store, "b", "other", random), "key-3");
});

test("a browser that keeps nothing does not stop the page", () => {
  const store = createStore(() => {
    throw new Error("denied");
  });
  assert.equal(store.write("a", 1), false);
  assert.equal(store.read("a"), null);
  store.remove("a");
});

test("cookies are read by their whole name", () => {
  assert.equal(cookie("xcsrftoken=no; csrftoken=yes%3D", "csrftoken"), "yes=");
  assert.equal(cookie("", "csrftoken"), "");
});
