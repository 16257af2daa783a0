import assert from "node:assert/strict";
import { test } from "node:test";
import { watchTyping } from "../../static/js/typing-watch.js";

const key = (name, timeStamp) => ({ key: name, timeStamp });

test("letters after a letter that was typed belong to it", () => {
  const typed = watchTyping();
  assert.equal(typed.goesOn(key("e", 0)), false);
  typed.letter(key("a", 100));
  assert.equal(typed.goesOn(key("g", 900)), true);
  assert.equal(typed.goesOn(key("e", 1800)), true); // the word went on
  assert.equal(typed.goesOn(key("1", 2700)), true);
});

test("a pause of a second ends the word", () => {
  const typed = watchTyping();
  typed.letter(key("a", 100));
  assert.equal(typed.goesOn(key("e", 1100)), false);
});

test("leaving the text ends the word", () => {
  const typed = watchTyping();
  typed.letter(key("é", 100));
  typed.stop();
  assert.equal(typed.goesOn(key("e", 110)), false);
});

test("digits and named keys start no word", () => {
  const typed = watchTyping();
  typed.letter(key("4", 100));
  typed.letter(key("Shift", 100));
  assert.equal(typed.goesOn(key("3", 110)), false);
  typed.letter(key("a", 120));
  assert.equal(typed.goesOn(key("ArrowDown", 130)), false);
});
