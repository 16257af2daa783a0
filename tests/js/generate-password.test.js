import assert from "node:assert/strict";
import { test } from "node:test";

import { ALPHABET, makePassword } from "../../static/js/generate-password.js";

test("a password has four groups of four of the letters that cannot be mistaken", () => {
  let next = 0;
  const password = makePassword(() => next++ % 256);
  assert.match(password, /^([a-km-z2-9]{4}-){3}[a-km-z2-9]{4}$/);
  assert.equal(password.replaceAll("-", ""), ALPHABET.slice(0, 16));
});

test("numbers that would make some letters likelier are drawn again", () => {
  const drawn = [255, 248, 0, ...Array(15).fill(1)];
  const password = makePassword(() => drawn.shift());
  assert.equal(password, "abbb-bbbb-bbbb-bbbb");
  assert.equal(drawn.length, 0);
});
