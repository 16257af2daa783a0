import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { measure } from "../measures_js/measure.mjs";

const vectors = JSON.parse(readFileSync(new URL("../vectors/measures.json", import.meta.url), "utf8"));

test("the browser counts the shared vectors as Python does", () => {
  assert.ok(vectors.length >= 40);
  for (const { case: given, expected } of vectors) {
    const found = measure(given);
    for (const name of ["words", "band", "runs", "found"])
      assert.deepEqual(found[name], expected[name], `${name} of ${JSON.stringify(given.text)}`);
    for (const name of ["ratio", "compression", "extractiveness", "topic"]) {
      const off = expected[name] === null ? found[name] !== null : Math.abs(found[name] - expected[name]) > 1e-12;
      assert.ok(!off, `${name} of ${JSON.stringify(given.text)}: ${found[name]} and not ${expected[name]}`);
    }
  }
});
