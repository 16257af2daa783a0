// The two boxes and the tick of an aggregation task as one part: shown, changed, handed on when they changed.
import { ANSWERS, complete, missing, remarks, withAnswer } from "./aggregation-payload.js";
import { $, $$, tell } from "./dom.js";
import { onKey } from "./keys.js";
import { listen } from "./life.js";

export function answerForm({ root, say, payload: first, onChange, onReady }) {
  const boxes = $$("[data-answer]", root);
  const hints = $$("[data-answer-hint]", root);
  const tick = $("[data-cannot]", root);
  const typeWord = say("type-word");
  let payload = complete(first);

  function refresh() {
    boxes.forEach((box, at) => {
      if (box.value !== payload.answers[at]) box.value = payload.answers[at];
    });
    tick.checked = payload.cannot;
    const left = missing(payload);
    $("[data-to-do]", root).textContent = left.length ? "" : say("ready");
    $("[data-submit]", root).setAttribute("aria-disabled", String(left.length > 0));
    if (!left.length) tell($("[data-submit-said]", root), "");
  }
  function change(next) {
    if (next === payload) return;
    payload = next;
    refresh();
    onChange(payload);
  }
  // When a box is left, never while it is typed in.
  function showRemarks() {
    const found = remarks(payload, typeWord);
    hints.forEach((hint, at) => (hint.textContent = found.answers[at] && say(found.answers[at])));
    $("[data-cannot-hint]", root).textContent = found.cannot && say(found.cannot);
  }
  function submit() {
    const left = missing(payload);
    showRemarks();
    if (!left.length) {
      onReady(payload);
      return;
    }
    tell($("[data-submit-said]", root), say("still-to-do", { list: say.list(left.map((id) => say(id))) }));
    boxes[0].focus();
  }

  boxes.forEach((box, at) => {
    box.addEventListener("input", () => change(withAnswer(payload, at, box.value)));
    box.addEventListener("change", showRemarks);
    onKey(String(at + 1), () => {
      box.focus();
      box.scrollIntoView({ block: "nearest" });
    });
  });
  tick.addEventListener("change", () => {
    change({ ...payload, cannot: tick.checked });
    showRemarks();
  });
  onKey("x", () => tick.click());
  $("[data-submit]", root).addEventListener("click", submit);
  listen(globalThis, "keydown", (event) => {
    if (event.key !== "Enter" || $("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      submit();
    } else if (event.target === boxes[0]) {
      event.preventDefault();
      boxes[1].focus();
    }
  });

  return {
    refresh,
    open: showRemarks,
    step: "write",
    get payload() {
      return payload;
    },
    set payload(next) {
      payload = complete(next);
      refresh();
      showRemarks();
    },
    focus: () => boxes[0].focus(),
    size: ANSWERS,
  };
}
