// The questions about one item on the page: answers by one key, one question at a time, and what is answered already.
import { $, $$ } from "./dom.js";
import { onKey } from "./keys.js";
import { dragLetters } from "./letter-drag.js";
import { dropLetter, pressKey, readAnswer, tieFields, writeAnswer } from "./rate-answers.js";
import { showChosen } from "./rate-texts.js";
import { chooseQuestion, chosenSide, leaveAnswered, listUnanswered } from "./rate-state.js";

const isUnsure = (fieldset) => Boolean($("[data-unsure]", fieldset)?.checked);
const reasonTo = (fieldset) => $("[data-reason]", fieldset)?.value ?? "";
const lacksReason = (fieldset) => fieldset.dataset.why === "required" && !reasonTo(fieldset).trim();
// "" also while a reason is still to be given.
const answerTo = (fieldset) => (lacksReason(fieldset) ? "" : readAnswer(fieldset));

// Where the focus goes: what is typed or marked has a field of its own; of answers to choose from none is pointed at.
const startOf = (fieldset) => $("[data-mark-words], [data-number] input, [data-text]", fieldset) ?? fieldset;

function fillQuestion(fieldset, stored) {
  writeAnswer(fieldset, stored?.answer ?? "");
  const reason = $("[data-reason]", fieldset);
  if (reason) reason.value = stored?.why ?? "";
  const unsure = $("[data-unsure]", fieldset);
  if (unsure) unsure.checked = Boolean(stored?.unsure);
}

// onCount(n): how many required questions are unanswered, whenever the answers are shown anew.
// onUnsure({place, unsure}): a key ticked or cleared "unsure" of the question at this place.
export function questionForm({ form, onCount, onUnsure }) {
  const fieldsets = $$("[data-question]");
  const questions = fieldsets.map(({ dataset }) => ({
    required: dataset.required !== undefined,
    about: dataset.about,
  }));
  const note = $("#note");
  let places = chooseQuestion(0);
  let focusedByPage = null; // where the page put the focus: being there is nobody's choice of a question

  const answers = () => fieldsets.map(answerTo);
  const unanswered = () => listUnanswered(questions, answers());

  function showPlaces({ focus, scroll = true }) {
    fieldsets.forEach((fieldset, i) => {
      fieldset.classList.toggle("is-now", i === places.current);
      fieldset.classList.toggle("takes-unsure", i === places.unsure);
    });
    const fieldset = fieldsets[places.current];
    if (focus) focusQuietly(startOf(fieldset));
    if (scroll) fieldset.scrollIntoView({ block: "nearest" });
  }
  function focusQuietly(input) {
    focusedByPage = input;
    input?.focus({ preventScroll: true });
  }
  function goTo(place, { focus = true, scroll = true } = {}) {
    places = chooseQuestion(Math.max(0, Math.min(fieldsets.length - 1, place)));
    showPlaces({ focus, scroll });
  }
  function showAnswered() {
    for (const fieldset of fieldsets) fieldset.classList.toggle("is-answered", Boolean(answerTo(fieldset)));
    const n = unanswered().length;
    onCount(n);
    $("[data-next]")?.setAttribute("aria-disabled", String(n > 0));
    showChosen(chosenSide(questions, answers()));
  }
  // Gives the current question the answer of this key; false where it has no such answer.
  function answerByKey(key) {
    const fieldset = fieldsets[places.current];
    const complete = pressKey(fieldset, key);
    if (complete === null) return false;
    if (!complete) return true;
    if (lacksReason(fieldset)) {
      focusQuietly($("[data-reason]", fieldset));
      return true;
    }
    places = leaveAnswered(places, unanswered());
    const isLast = places.current === places.unsure;
    showPlaces({ focus: !isLast });
    return true;
  }
  function answerOrGoTo(number) {
    if (answerByKey(String(number))) return true;
    if (!fieldsets[number - 1]) return false;
    goTo(number - 1);
    return true;
  }
  function toggleUnsure() {
    const fieldset = fieldsets[places.unsure];
    const box = $("[data-unsure]", fieldset);
    if (!box || box.disabled) return false;
    box.click();
    fieldset.classList.add("is-flashing");
    fieldset.scrollIntoView({ block: "nearest" });
    onUnsure({ place: places.unsure, unsure: box.checked });
    return true;
  }

  for (const fieldset of fieldsets) tieFields(fieldset);
  dragLetters(dropLetter);
  for (const key of ["y", "n", "a", "b", "c", "d", "e", "f", "t", "0"]) onKey(key, () => answerByKey(key));
  for (let number = 1; number <= 9; number += 1) onKey(String(number), () => answerOrGoTo(number));
  onKey("u", toggleUnsure);
  const placeOf = (element) => fieldsets.indexOf(element.closest("[data-question]"));
  form.addEventListener("focusin", ({ target }) => {
    if (target === focusedByPage) return;
    focusedByPage = null;
    // A press of the mouse would end elsewhere if the page moved under it.
    if (placeOf(target) >= 0) goTo(placeOf(target), { focus: false, scroll: target.matches(":focus-visible") });
  });
  form.addEventListener("change", ({ target }) => {
    if (target.matches(".answers input")) goTo(placeOf(target), { focus: false });
  });
  form.addEventListener("animationend", ({ target }) => target.classList.remove("is-flashing"));

  return {
    goTo,
    showAnswered,
    unanswered,
    goToFirstUnanswered: () => goTo(unanswered()[0] ?? 0),
    payload() {
      const rows = fieldsets.filter((fieldset) => readAnswer(fieldset) || $("[data-text]", fieldset));
      const entry = (fieldset) => {
        const given = { answer: readAnswer(fieldset), unsure: isUnsure(fieldset) };
        const reason = reasonTo(fieldset);
        return [fieldset.dataset.question, reason ? { ...given, why: reason } : given];
      };
      return { answers: Object.fromEntries(rows.map(entry)), note: note.value };
    },
    fill(payload) {
      for (const fieldset of fieldsets) fillQuestion(fieldset, payload.answers[fieldset.dataset.question]);
      note.value = payload.note ?? "";
      showAnswered();
    },
  };
}
