import assert from "node:assert/strict";
import { test } from "node:test";

import { belongs, showFields } from "../../static/js/conditional-fields.js";

// A field of a form has a row around it; an option, such as a template, has none and holds its own radio button.
const field = (values) => {
  const row = { hidden: false };
  return { dataset: { for: values }, row, closest: () => row, querySelector: () => null };
};
const option = (values, checked = false) => {
  const radio = { checked };
  return { dataset: { for: values }, hidden: false, radio, closest: () => null, querySelector: () => radio };
};
const formOf = (fields, chosen) => ({
  querySelector: (selector) => (selector === "[data-decides]" ? null : { value: chosen }),
  querySelectorAll: () => fields,
});

test("a field belongs to the values that it names", () => {
  assert.equal(belongs("void reassign", "void"), true);
  assert.equal(belongs("void reassign", "reassign"), true);
  assert.equal(belongs("void", "voi"), false);
});

test("only the fields of the chosen action are shown, with their rows", () => {
  const fields = [field("void"), field("reassign")];
  showFields(formOf(fields, "reassign"));
  assert.deepEqual(
    fields.map(({ row }) => row.hidden),
    [true, false],
  );
});

test("the radio buttons that decide are those of their group", () => {
  const fields = [field("summary")];
  const form = formOf(fields, "another group");
  const group = { querySelector: () => ({ value: "summary" }) };
  showFields({ ...form, querySelector: (selector) => (selector === "[data-decides]" ? group : { value: "x" }) });
  assert.equal(fields[0].row.hidden, false);
});

test("options of another choice are hidden, and the first that belongs is selected", () => {
  const options = [option("summary", true), option("summary phrases"), option("phrases")];
  showFields(formOf(options, "phrases"));
  assert.deepEqual(
    options.map((each) => each.hidden),
    [true, false, false],
  );
  assert.ok(options[1].radio.checked);
});

test("a selected option that belongs stays selected", () => {
  const options = [option("summary"), option("summary phrases", true)];
  showFields(formOf(options, "summary"));
  assert.ok(!options[0].radio.checked && options[1].radio.checked);
});
