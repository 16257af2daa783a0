import assert from "node:assert/strict";
import { test } from "node:test";

import { tooLarge, watchFiles } from "../../static/js/import.js";

// A file field and a place to drop on, as far as the script touches them.
function page(limit = 10) {
  const listeners = (target) => {
    const heard = {};
    target.addEventListener = (kind, call) => (heard[kind] ??= []).push(call);
    target.fire = (kind, event = {}) => heard[kind].forEach((call) => call({ preventDefault() {}, ...event }));
    return target;
  };
  const classes = new Set();
  const place = listeners({
    classList: { add: (name) => classes.add(name), remove: (name) => classes.delete(name) },
    classes,
  });
  const input = listeners({
    files: [],
    dataset: { limit: String(limit), tooLarge: "Too large." },
    setCustomValidity(text) {
      input.message = text;
    },
    reportValidity() {},
  });
  const sent = [];
  watchFiles(place, input, () => sent.push(input.files.length));
  return { place, input, sent };
}

test("several files count together against the limit", () => {
  assert.equal(tooLarge([{ size: 5 }, { size: 5 }], 10), false);
  assert.equal(tooLarge([{ size: 5 }, { size: 6 }], 10), true);
  assert.equal(tooLarge([], 10), false);
});

test("chosen files are sent at once", () => {
  const { input, sent } = page();
  input.files = [{ size: 3 }];
  input.fire("change");
  assert.deepEqual(sent, [1]);
  assert.equal(input.message, "");
});

test("files that are too large are told and not sent", () => {
  const { input, sent } = page();
  input.files = [{ size: 11 }];
  input.fire("change");
  assert.deepEqual(sent, []);
  assert.equal(input.message, "Too large.");
  input.files = [{ size: 1 }];
  input.fire("change");
  assert.equal(input.message, "", "a smaller file clears what was said");
});

test("a choice that was cancelled sends nothing", () => {
  const { input, sent } = page();
  input.fire("change");
  assert.deepEqual(sent, []);
});

test("dropped files are taken over and sent; a dropped text is not", () => {
  const { place, input, sent } = page();
  place.fire("dragenter");
  assert.ok(place.classes.has("over"));
  place.fire("drop", { dataTransfer: { files: [{ size: 1 }, { size: 2 }] } });
  assert.deepEqual(sent, [2]);
  assert.equal(input.files.length, 2);
  assert.ok(!place.classes.has("over"));
  place.fire("drop", { dataTransfer: { files: [] } });
  assert.deepEqual(sent, [2]);
});
