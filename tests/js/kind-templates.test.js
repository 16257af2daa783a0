import assert from "node:assert/strict";
import { test } from "node:test";
import { fitsKind, showFitting } from "../../static/js/kind-templates.js";

const template = (kinds, checked = false) => {
  const radio = { checked };
  return { dataset: { kinds }, hidden: false, querySelector: () => radio };
};

test("a template fits the kinds that it names, and no other of a similar name", () => {
  assert.ok(fitsKind("summary phrases", "phrases"));
  assert.ok(!fitsKind("summary phrases", "phrase"));
});

test("templates of another kind are hidden, and the first that fits is selected", () => {
  const templates = [template("summary", true), template("summary phrases"), template("phrases")];
  showFitting(templates, "phrases");
  assert.deepEqual(
    templates.map((each) => each.hidden),
    [true, false, false],
  );
  assert.ok(templates[1].querySelector().checked);
});

test("a selected template that fits stays selected", () => {
  const templates = [template("summary"), template("summary phrases", true)];
  showFitting(templates, "summary");
  assert.ok(!templates[0].querySelector().checked && templates[1].querySelector().checked);
});
