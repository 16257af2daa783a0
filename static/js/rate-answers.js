// The answer in the fields of one question, whatever its type: read, written, and given by a key.
import {
  joinPlaces,
  joinValues,
  keepApart,
  pressLetter,
  putLetter,
  splitPlaces,
  splitValues,
} from "./answer-values.js";
import { $, $$ } from "./dom.js";
import { cardButtons, showOnCards } from "./rate-texts.js";

const change = (input) => input.dispatchEvent(new Event("change", { bubbles: true }));
const placeInputs = (fieldset) => $$("[data-place]", fieldset);
const placeNames = (fieldset) => [...new Set(placeInputs(fieldset).map(({ dataset }) => dataset.place))];
const readPlaces = (fieldset) =>
  placeNames(fieldset).map((name) => $(`[data-place="${name}"]:checked`, fieldset)?.value ?? "");
const readTicked = (fieldset) => $$("[data-several] input:checked", fieldset).map(({ value }) => value);
const marksField = (fieldset) => $("[data-marks-value]", fieldset);
const numberInput = (fieldset) => $("[data-number] input[type=number]", fieldset);

function showPlaces(fieldset, letters) {
  const names = placeNames(fieldset);
  for (const input of placeInputs(fieldset))
    input.checked = letters[names.indexOf(input.dataset.place)] === input.value;
  showOnCards(fieldset, letters);
}

function put(fieldset, letter, place) {
  showPlaces(fieldset, putLetter(readPlaces(fieldset), letter, place));
  change($("[data-places]", fieldset));
}

// The buttons on the cards give the same answer as the fields of the question.
function tieCards(fieldset) {
  const names = placeNames(fieldset);
  for (const button of cardButtons(fieldset)) {
    button.addEventListener("click", () => {
      const place = names.indexOf(button.dataset.put);
      const { letter } = button.dataset;
      put(fieldset, readPlaces(fieldset)[place] === letter ? "" : letter, place);
    });
  }
  showOnCards(fieldset, readPlaces(fieldset));
}

// Gives the place of a row to the letter that was dropped on it.
export function dropLetter(row, letter) {
  const fieldset = row.closest("[data-question]");
  put(fieldset, letter, placeNames(fieldset).indexOf(row.dataset.drop));
}

function showNumber(fieldset, answer) {
  const input = numberInput(fieldset);
  input.value = answer;
  if (answer) $("input[type=range]", fieldset).value = answer;
}

export function readAnswer(fieldset) {
  if ($("[data-places]", fieldset)) return joinPlaces(readPlaces(fieldset));
  if ($("[data-several]", fieldset)) return joinValues(readTicked(fieldset));
  const marks = marksField(fieldset);
  if (marks) return marks.value;
  const number = numberInput(fieldset);
  if (number) return number.validity.valid ? number.value : "";
  return $("input[type=radio]:checked, [data-text]", fieldset)?.value ?? "";
}

export function writeAnswer(fieldset, answer) {
  if ($("[data-places]", fieldset)) {
    showPlaces(fieldset, splitPlaces(answer, placeNames(fieldset).length));
    return;
  }
  const marks = marksField(fieldset);
  if (marks) {
    marks.value = answer;
    fieldset.dispatchEvent(new Event("marks-written"));
    return;
  }
  const ticked = splitValues(answer);
  for (const input of $$("[data-several] input", fieldset)) input.checked = ticked.includes(input.value);
  if (numberInput(fieldset)) showNumber(fieldset, answer);
  for (const input of $$(".answers input[type=radio]", fieldset)) input.checked = input.value === answer;
  const field = $("[data-text]", fieldset);
  if (field) field.value = answer;
}

// Gives the answer of a key; null where the question has no such answer, else whether it is complete with it.
export function pressKey(fieldset, key) {
  const arranged = $("[data-places]", fieldset);
  const input = $(arranged ? `[data-place][value="${key}"]` : `input[data-key="${key}"]`, fieldset);
  if (!input || input.disabled) return null;
  if (arranged) {
    const letters = pressLetter(readPlaces(fieldset), key);
    if (!letters) return null;
    showPlaces(fieldset, letters);
    change(arranged);
    return letters.every(Boolean);
  }
  if (input.type === "checkbox") {
    input.click();
    return false;
  }
  input.checked = true;
  change(input);
  return true;
}

// Keeps the fields of a question in line with each other: a text in one place, "none" alone, slider and number.
export function tieFields(fieldset) {
  if ($("[data-places]", fieldset)) tieCards(fieldset);
  fieldset.addEventListener("change", ({ target }) => {
    if (target.dataset.place !== undefined) {
      const place = placeNames(fieldset).indexOf(target.dataset.place);
      showPlaces(fieldset, putLetter(readPlaces(fieldset), target.value, place));
    }
    if (target.closest("[data-several]") && target.checked) {
      const kept = keepApart(readTicked(fieldset), target.value);
      for (const input of $$("[data-several] input", fieldset)) input.checked = kept.includes(input.value);
    }
  });
  const number = numberInput(fieldset);
  if (!number) return;
  const slider = $("input[type=range]", fieldset);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    number.value = slider.value;
    change(number);
  });
  number.addEventListener("input", () => {
    if (number.value && number.validity.valid) slider.value = number.value;
  });
}
