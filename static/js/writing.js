// Steps 2 to 4 on the page: one payload, shown in the steps, changed by them, handed on when it changed.
import { $, $$, iconButton, make, tell } from "./dom.js";
import { onKey } from "./keys.js";
import { listen } from "./life.js";
import { countWords } from "./measures.js";
import { toUnits } from "./offsets.js";
import { addSpan, listRows, openSegments, packSegments, removeSpan } from "./spans.js";
import { complete, firstOpen, missing, STEPS, stepStates, withMarks, withSummary } from "./steps.js";
import { createUndo } from "./undo.js";

// proposing: the proposals of step 3, where the project shows them.
export function writing({
  root,
  task,
  say,
  pane,
  editor,
  payload: first,
  frozen,
  wholeSource,
  onChange,
  onReady,
  onStepOne,
  proposing = null,
}) {
  const segments = task.document.segments;
  const suggested = task.suggestion?.text ?? "";
  const texts = segments.map((segment) => segment.text);
  const sizes = texts.map(countWords);
  const all = sizes.reduce((sum, n) => sum + n, 0);
  const title = $("#title", root);
  const reread = $("[data-reread]", root);
  const steps = $$("[data-step]", root);
  const step = (n) => steps.find((element) => element.dataset.step === String(n));
  let payload = complete(first);
  let open = 0;
  let length = null; // where the text stands against the band of words
  let asked = false; // whether a text far outside the band was asked about
  let listed = null; // the payload whose marks are shown, so that typing does not draw them again

  const marked = () => openSegments(payload.relevant_segments, segments.length);
  const quoteOf = (segment, start, end) =>
    texts[segment].slice(toUnits(texts[segment], start), toUnits(texts[segment], end));

  function change(next) {
    if (next === payload) return;
    payload = next;
    refresh();
    onChange(payload);
  }
  const undo = createUndo();
  const marks = ({ relevant_segments, spans, confirmed_segments, proposals }) => ({
    relevant_segments,
    spans,
    confirmed_segments,
    ...(proposals && { proposals }),
  });
  // A change of marks, which can be taken back.
  function mark(next) {
    undo.keep(marks(payload));
    change(next);
  }
  function takeBack() {
    const before = undo.back();
    if (before) change({ ...payload, ...before });
    tell($("[data-confirm-said]", root), say(before ? "taken-back" : "nothing-to-take-back"));
    return true;
  }

  /* What is shown */
  function refresh() {
    const indices = marked();
    const states = stepStates(payload, frozen, suggested);
    for (const [i, state] of states.entries()) {
      step(i + 1).dataset.state = state;
      $("summary, .step-head", step(i + 1)).setAttribute("aria-disabled", String(state === "locked"));
    }
    $("[data-unlocked]", root).hidden = !frozen;
    editor.set(payload.summary);
    // As the server counts: a segment with selected words counts whole; where nothing was chosen, all of the source.
    const counted = new Set([...indices, ...payload.spans.map((span) => span.segment)]);
    const base = wholeSource ? all : [...counted].reduce((sum, i) => sum + sizes[i], 0);
    length = editor.measure(payload.summary, base, wholeSource);
    showMarks(indices);
    $("[data-reread-text]", root).textContent = payload.summary || say("nothing-written");
    reread.checked = payload.reread;
    reread.disabled = !payload.summary.trim();
    title.disabled = !payload.reread;
    title.placeholder = say(payload.reread ? "title-few-words" : "title-after-tick");
    if (title.value !== payload.title) title.value = payload.title;
    recap(2, frozen ? "" : say("after-step-1"));
    recap(3, frozen ? marksSaid(indices) : say("after-step-1"));
    recap(4, frozen ? payload.title : say("after-step-1"));
    showToDo(missing(payload, frozen), states.filter((state) => state !== "done").length);
  }
  const missed = () => say(`band-${length.place}`, { n: length.by });
  function showToDo(left, n) {
    const isReady = !left.length;
    const toDo = $("[data-to-do]", root);
    toDo.textContent = isReady ? (length.isFar ? missed() : say("ready")) : say("steps-left", { n });
    toDo.classList.toggle("to-do-warn", isReady && length.isFar);
    asked = false;
    const button = $("[data-submit]", root);
    button.textContent = say("submit");
    button.setAttribute("aria-disabled", String(!isReady));
    if (isReady) tell($("[data-submit-said]", root), "");
  }
  // A text far outside the band goes out when it is submitted a second time, which a double click is not.
  function isMeant(event) {
    if (!length.isFar || (asked && !(event?.detail > 1))) return true;
    asked = true;
    $("[data-to-do]", root).textContent = ""; // the sentence has it
    $("[data-submit]", root).textContent = say("submit-anyway");
    tell($("[data-submit-said]", root), say("submit-anyway-said", { missed: missed() }));
    return false;
  }
  function showMarks(indices) {
    const same = ["relevant_segments", "spans", "confirmed_segments", "proposals"].every(
      (key) => listed && listed[key] === payload[key],
    );
    if (same) return;
    listed = payload;
    pane.setMarks(indices);
    pane.paintSpans(payload.spans);
    listMarks(indices);
    proposing?.show(payload, {
      onAccept: (one) => decided(one, "accepted"),
      onReject: (one) => decided(one, "rejected"),
    });
  }
  function decided(one, decision) {
    const proposals = payload.proposals.map((other) => (other === one ? { ...one, decision } : other));
    const spans = decision === "accepted" ? addSpan(payload.spans, one, quoteOf) : payload.spans;
    mark({ ...withMarks(payload, payload.relevant_segments, spans), proposals });
  }
  const recap = (n, text) => {
    $(".recap", step(n)).textContent = text;
  };
  function marksSaid(indices) {
    const parts = [];
    if (indices.length) parts.push(say("segments-marked", { n: indices.length }));
    if (payload.spans.length) parts.push(say("spans-marked", { n: payload.spans.length }));
    return parts.length ? say.list(parts) : say("nothing-marked");
  }
  function listMarks(indices) {
    const rows = listRows(indices, payload.spans, texts);
    $("[data-span-list]", root).replaceChildren(
      ...rows.map((row) => {
        const n = row.segment + 1;
        const go = make("button", { type: "button", className: "text-button", textContent: String(n) });
        go.setAttribute("aria-label", say("show-segment", { n }));
        go.addEventListener("click", () => pane.show(row.segment));
        const remove = iconButton("cross", say(row.span ? "remove-words" : "remove-segment", { n }), () => {
          const at = $$("[data-span-list] .icon-button", root).indexOf(remove);
          if (row.span) mark(withMarks(payload, payload.relevant_segments, removeSpan(payload.spans, row.span)));
          else pane.unmark(row.segment);
          const rest = $$("[data-span-list] .icon-button", root);
          (rest[at] ?? rest.at(-1) ?? $("[data-confirm-marks]", root)).focus();
        });
        return make(
          "li",
          {},
          make("span", { className: "where" }, go),
          make(
            "div",
            {},
            make("span", { className: row.span ? "quote span-quote" : "quote", dir: "auto", textContent: row.quote }),
            ...(row.span ? [make("span", { className: "why", textContent: say("words-inside") })] : []),
          ),
          make("span", { className: "acts" }, remove),
        );
      }),
    );
    $("[data-span-empty]", root).hidden = rows.length > 0;
    $("[data-confirm-marks]", root).setAttribute("aria-disabled", String(!rows.length || payload.confirmed_segments));
    tell($("[data-confirm-said]", root), payload.confirmed_segments && rows.length ? say("confirmed") : "");
  }

  // Only the panel scrolls; the source stays where the reader is. On a phone the panel is the page.
  function reveal(element, above) {
    const body = $(".panel-body", root);
    if (getComputedStyle(body).overflowY === "auto") {
      body.scrollTop += element.getBoundingClientRect().top - body.getBoundingClientRect().top - above;
    } else {
      element.scrollIntoView({ block: "start" });
    }
  }

  /* Opening and finishing steps: one is open; the summary beside it is a strip */
  function openStep(n, { focus = false } = {}) {
    const to = frozen ? n : 1;
    open = to;
    for (const k of [1, 3, 4]) if (step(k).open !== (k === to)) step(k).open = k === to;
    const compact = to !== 2;
    step(2).dataset.compact = String(compact);
    $("[data-summary-more]", root).hidden = compact;
    $(".step-head", step(2)).setAttribute("aria-expanded", String(!compact));
    if (!focus) return;
    firstControl(to).focus({ preventScroll: true });
    reveal(step(to), to > 2 ? step(2).offsetHeight : 0);
  }
  function firstControl(n) {
    if (n === 2) return editor.field;
    if (n === 4) return payload.reread ? title : reread.disabled ? $("summary", step(4)) : reread;
    return $(".step-body :is(input, button):not([hidden], :disabled)", step(n)) ?? $("summary", step(n));
  }
  function finish(n) {
    if (n === 1 && !frozen) {
      onStepOne();
      return;
    }
    if (n === 3) confirm();
    else if (n === 4) submit();
    else openStep(n + 1, { focus: true });
  }
  function confirm() {
    if (!payload.relevant_segments.length && !payload.spans.length) {
      tell($("[data-confirm-said]", root), say("todo-mark"));
      return;
    }
    const offered = proposing?.offer(payload, marked()) ?? [];
    if (offered.length) {
      // after one's own marks; asked again, it goes on whatever was decided
      mark({ ...payload, proposals: [...(payload.proposals ?? []), ...offered] });
      tell($("[data-confirm-said]", root), say("proposals-first", { n: offered.length }));
      proposing.first();
      return;
    }
    change({ ...payload, confirmed_segments: true });
    openStep(4, { focus: true });
  }
  function submit(event) {
    const left = missing(payload, frozen);
    if (!left.length) {
      if (isMeant(event)) onReady(payload);
      return;
    }
    tell($("[data-submit-said]", root), say("still-to-do", { list: say.list(left.map((id) => say(id))) }));
    openStep(firstOpen(stepStates(payload, frozen, suggested)), { focus: false });
  }
  for (const element of steps) {
    const n = Number(element.dataset.step);
    $("summary, .step-head", element).addEventListener("click", (event) => {
      if (element.dataset.state === "locked") event.preventDefault();
      else if (n === 2) openStep(2, { focus: true });
    });
    if (n !== 2)
      element.addEventListener("toggle", () => {
        if (element.open && open !== n) openStep(n);
        else if (!element.open && open === n && frozen) openStep(2);
      });
  }
  for (const button of $$("[data-next-step]", root))
    button.addEventListener("click", () => openStep(Number(button.dataset.nextStep), { focus: true }));
  $("[data-confirm-marks]", root).addEventListener("click", () =>
    payload.confirmed_segments ? openStep(4, { focus: true }) : confirm(),
  );
  $("[data-mark-all]", root)?.addEventListener("click", () => pane.markAll());
  $("[data-submit]", root).addEventListener("click", submit);
  reread.addEventListener("change", () => {
    change({ ...payload, reread: reread.checked });
    if (reread.checked) title.focus();
  });
  title.addEventListener("input", () => change({ ...payload, title: title.value }));
  title.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
  });
  onKey("z", takeBack);
  listen(globalThis, "keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
    // texts have their own
    if ($("dialog[open]") || event.target.closest?.("textarea, input:not([type=radio], [type=checkbox])")) return;
    event.preventDefault();
    takeBack();
  });
  listen(globalThis, "keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || $("dialog[open]")) return;
    event.preventDefault();
    finish(Number(event.target.closest?.("[data-step]")?.dataset.step ?? open));
  });

  return {
    refresh,
    openStep,
    get payload() {
      return payload;
    },
    set payload(next) {
      payload = complete(next);
      refresh();
    },
    open: () => openStep(firstOpen(stepStates(payload, frozen, suggested))),
    setSummary: (text) => change(withSummary(payload, text)),
    setMarks: (indices) => mark(withMarks(payload, packSegments(indices), payload.spans)),
    addSpan: (span) => mark(withMarks(payload, payload.relevant_segments, addSpan(payload.spans, span, quoteOf))),
    // Where the writer is: the field is the summary's, whatever step is open beside it.
    get step() {
      return document.activeElement === editor.field ? "write" : (STEPS[open - 1] ?? "write");
    },
  };
}
