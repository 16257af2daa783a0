import assert from "node:assert/strict";
import { test } from "node:test";

import { belongs, showFields } from "../../static/js/conditional-fields.js";

test("a field belongs to the values that it names", () => {
  assert.equal(belongs("void reassign", "void"), true);
  assert.equal(belongs("void reassign", "reassign"), true);
  assert.equal(belongs("void", "voi"), false);
});

test("only the fields of the chosen action are shown", () => {
  const rows = [{ hidden: false }, { hidden: false }];
  const fields = ["void", "reassign"].map((value, n) => ({ dataset: { for: value }, closest: () => rows[n] }));
  const form = { querySelector: () => ({ value: "reassign" }), querySelectorAll: () => fields };
  showFields(form);
  assert.deepEqual(
    rows.map((row) => row.hidden),
    [true, false],
  );
});
