// Inspecting a summary: verdicts by key, the outcome in words, comments on the text. The form posts without script too.
import { $, $$ } from "./dom.js";
import { onKey } from "./keys.js";
import { commenting } from "./inspect-comments.js";
import { outcome } from "./inspect-outcome.js";
import { sourcePane } from "./source.js";
import { makeSay } from "./words.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const data = read("inspection-data");
const say = makeSay(read("inspection-words"), document.documentElement.lang);

const pane = sourcePane({ root: $(".bench-source"), segments: data.segments, say, onMarks() {} });
pane.setMarks(data.marked);
for (const button of pane.buttons) button.removeAttribute("aria-pressed"); // marks are read here, not made
pane.paintSpans(data.spans);

const form = $("[data-verdicts]");
const comments = commenting({
  form,
  summary: $("[data-summary]"),
  text: data.summary,
  shown: data.comments,
  say,
  onChange: update,
});
const questions = $$("[data-question]");
let now = 0;

function go(i) {
  now = Math.max(0, Math.min(questions.length - 1, i));
  questions.forEach((one, k) => one.classList.toggle("is-now", k === now));
}
const picked = (question) => $("input:checked", question)?.value;

function update() {
  if (!form) return;
  for (const one of questions) {
    one.classList.toggle("is-answered", Boolean(picked(one)));
    const why = $("[data-extra]", one);
    why.hidden = !["revise", "reject"].includes(picked(one)) && !$("textarea", why).value;
  }
  const told = $$("textarea", form).some((field) => field.value.trim());
  const { id, n } = outcome(questions.map(picked), told || comments.any());
  $("[data-outcome]").textContent = say(id, { n });
  $("[data-send]").setAttribute("aria-disabled", String(id === "left" || id === "why"));
}

function verdict(value) {
  const question = questions[now];
  if (!question) return false;
  $(`input[value=${value}]`, question).checked = true;
  update();
  if (value === "accept") go(now + 1);
  else $("textarea", question).focus();
  question.scrollIntoView({ block: "nearest" });
  return true;
}

if (form) {
  form.addEventListener("change", (event) => {
    const question = event.target.closest("[data-question]");
    if (question) go(questions.indexOf(question));
    update();
  });
  form.addEventListener("input", update);
  form.addEventListener(
    "submit",
    (event) => {
      if ($("[data-send]").getAttribute("aria-disabled") !== "true") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const open = questions.findIndex((one) => !picked(one));
      if (open < 0) {
        $("#comment-overall").focus();
        return;
      }
      go(open);
      $("input", questions[open]).focus();
    },
    { capture: true },
  );
  form.noValidate = true; // what is missing is said beside the button
  onKey("a", () => verdict("accept"));
  onKey("v", () => verdict("revise"));
  onKey("r", () => verdict("reject"));
  questions.forEach((question, i) =>
    onKey(String(i + 1), () => {
      go(i);
      $("input:checked, input", question).focus();
    }),
  );
  onKey("t", () => $("[data-summary]").focus());
  addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
  update();
  go(questions.findIndex((one) => !picked(one)));
}
$("[data-inspection]").dataset.ready = "yes";
