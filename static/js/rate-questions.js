// The questions about one item on the page: answers by one key, one question at a time, and what is answered already.
import { $, $$ } from "./dom.js";
import { onKey } from "./keys.js";
import { chosenSide, listUnanswered, nextUnanswered } from "./rate-state.js";

const answerTo = (fieldset) => $("input[type=radio]:checked, textarea", fieldset)?.value ?? "";
const isUnsure = (fieldset) => Boolean($("[data-unsure]", fieldset)?.checked);

function fillQuestion(fieldset, stored) {
  for (const input of $$("input[type=radio]", fieldset)) input.checked = input.value === stored?.answer;
  const field = $("textarea", fieldset);
  if (field) field.value = stored?.answer ?? "";
  const unsure = $("[data-unsure]", fieldset);
  if (unsure) unsure.checked = Boolean(stored?.unsure);
}

// onCount(n): how many required questions are unanswered, whenever the answers are shown anew.
export function questionForm({ form, onCount }) {
  const fieldsets = $$("[data-question]");
  const questions = fieldsets.map(({ dataset }) => ({
    required: dataset.required !== undefined,
    about: dataset.about,
  }));
  const note = $("#note");
  let current = 0;

  const answers = () => fieldsets.map(answerTo);
  const unanswered = () => listUnanswered(questions, answers());

  function goTo(place, { focus = true } = {}) {
    current = Math.max(0, Math.min(fieldsets.length - 1, place));
    fieldsets.forEach((fieldset, i) => fieldset.classList.toggle("is-now", i === current));
    if (focus) $("input:checked, input, textarea", fieldsets[current])?.focus({ preventScroll: true });
    fieldsets[current].scrollIntoView({ block: "nearest" });
  }
  function showAnswered() {
    for (const fieldset of fieldsets) fieldset.classList.toggle("is-answered", Boolean(answerTo(fieldset)));
    const n = unanswered().length;
    onCount(n);
    $("[data-next]")?.setAttribute("aria-disabled", String(n > 0));
    const side = chosenSide(questions, answers());
    for (const text of $$(".pair article")) text.classList.toggle("is-chosen", text.dataset.side === side);
  }
  // Gives the current question the answer of this key; false where it has no such answer.
  function answerByKey(key) {
    const input = $(`input[data-key="${key}"]`, fieldsets[current]);
    if (!input || input.disabled) return false;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    const next = nextUnanswered(unanswered(), current);
    if (next === null) input.focus({ preventScroll: true });
    else goTo(next);
    return true;
  }
  function answerOrGoTo(number) {
    if (answerByKey(String(number))) return true;
    if (!fieldsets[number - 1]) return false;
    goTo(number - 1);
    return true;
  }
  function toggleUnsure() {
    const box = $("[data-unsure]", fieldsets[current]);
    if (!box || box.disabled) return false;
    box.click();
    return true;
  }

  for (const fieldset of fieldsets) fieldset.toggleAttribute("data-wide", $$("input[type=radio]", fieldset).length > 2);
  for (const key of ["y", "n", "a", "b", "t"]) onKey(key, () => answerByKey(key));
  for (let number = 1; number <= 9; number += 1) onKey(String(number), () => answerOrGoTo(number));
  onKey("u", toggleUnsure);
  form.addEventListener("focusin", (event) => {
    const place = fieldsets.indexOf(event.target.closest("[data-question]"));
    if (place >= 0 && place !== current) goTo(place, { focus: false });
  });

  return {
    goTo,
    showAnswered,
    unanswered,
    goToFirstUnanswered: () => goTo(unanswered()[0] ?? 0),
    payload() {
      const rows = fieldsets.filter((fieldset) => answerTo(fieldset) || $("textarea", fieldset));
      const entry = (fieldset) => [
        fieldset.dataset.question,
        { answer: answerTo(fieldset), unsure: isUnsure(fieldset) },
      ];
      return { answers: Object.fromEntries(rows.map(entry)), note: note.value };
    },
    fill(payload) {
      for (const fieldset of fieldsets) fillQuestion(fieldset, payload.answers[fieldset.dataset.question]);
      note.value = payload.note ?? "";
      showAnswered();
    },
  };
}
