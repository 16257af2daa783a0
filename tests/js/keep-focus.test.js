import assert from "node:assert/strict";
import { test } from "node:test";

import { describe, restoreFocus } from "../../static/js/keep-focus.js";

const element = (attributes, tagName = "A") => ({
  tagName,
  id: attributes.id,
  getAttribute: (name) => attributes[name],
});
const plain = (text) => text;

test("an element is found again by its id, its address or its name", () => {
  assert.equal(describe(element({ id: "words" }), plain), "#words");
  assert.equal(describe(element({ href: "/p/news/" }), plain), 'a[href="/p/news/"]');
  assert.equal(describe(element({ name: "seed" }, "INPUT"), plain), '[name="seed"]');
  assert.equal(describe(element({}, "BODY"), plain), "");
  assert.equal(describe(null, plain), "");
});

test("the focus is given back once, and only on the same page", () => {
  const kept = new Map([["epitome-focus", JSON.stringify({ path: "/a/", selector: "#words" })]]);
  const store = { getItem: (key) => kept.get(key), removeItem: (key) => kept.delete(key) };
  let focused = 0;
  const root = { querySelector: () => ({ focus: () => (focused += 1) }) };
  restoreFocus(store, { pathname: "/a/" }, root);
  restoreFocus(store, { pathname: "/a/" }, root);
  assert.equal(focused, 1);
  kept.set("epitome-focus", JSON.stringify({ path: "/b/", selector: "#words" }));
  restoreFocus(store, { pathname: "/a/" }, root);
  assert.equal(focused, 1);
});
