// Marking errors in the summary: words by mouse, touch or arrow keys, then category and severity by one key each.
import { $, $$, iconButton, make } from "./dom.js";
import { paint, rangeIn } from "./highlight.js";
import { onKey } from "./keys.js";
import { listen } from "./life.js";
import {
  OMISSION,
  addMark,
  choose,
  isOmission,
  levelOf,
  nextStep,
  parseMarks,
  removeMark,
  wordsBetween,
  writeMarks,
} from "./marks.js";
import { toSpan, toUnits } from "./offsets.js";
import { selected } from "./selecting.js";
import { moveWords, wordPlaces } from "./spans.js";

const LEVELS = [1, 2, 3];

export function markingField({ fieldset, summary, text, isOpen, say }) {
  const field = $("[data-marks-value]", fieldset);
  const noErrors = $("[data-no-errors]", fieldset);
  const list = $("[data-marks]", fieldset);
  const offer = $("[data-mark-offer]", fieldset);
  const status = $("[data-mark-said]", fieldset);
  const wordButton = $("[data-mark-words]", fieldset);
  const buttons = (step) => $$(`[data-mark-step="${step}"] button`, offer);
  const valuesOf = (step) => buttons(step).map(({ dataset }) => dataset.value);
  function labelOf(step, value) {
    const button = buttons(step).find(({ dataset }) => dataset.value === value);
    return button ? $("span", button).textContent : value;
  }
  const categories = valuesOf("category");
  const severities = valuesOf("severity");
  let marks = parseMarks(field.value);
  let pending = null;
  let words = null; // chosen with the arrows: {from, to}, numbers of words
  let placed = null; // where the offer stands, in the page

  if (summary && text && summary.textContent !== text) summary.textContent = text; // offsets need the stored text

  const rangeOf = ({ start, end }) => summary && rangeIn(summary, toUnits(text, start), toUnits(text, end));
  const quoteOf = ({ start, end }) => text.slice(toUnits(text, start), toUnits(text, end));
  const categoryLabel = ({ category }) =>
    category === OMISSION ? $("[data-add-omission] span", fieldset).textContent : labelOf("category", category);
  const kindOf = (mark) => [mark.category && categoryLabel(mark), labelOf("severity", mark.severity)].filter(Boolean);

  /* What is marked */

  function show() {
    for (const level of LEVELS) {
      const here = marks.filter((mark) => !isOmission(mark) && levelOf(severities, mark.severity) === level);
      paint(`error-${level}`, fieldset, here.map(rangeOf));
    }
    list.replaceChildren(...marks.map(row));
    noErrors.checked = field.value === "[]";
    noErrors.disabled = !isOpen || marks.length > 0;
  }
  function row(mark) {
    const kind = make("span", { className: "mark-kind", textContent: kindOf(mark).join(", ") });
    kind.dataset.level = levelOf(severities, mark.severity);
    kind.dir = "auto";
    const item = make("li", {}, kind);
    if (!isOmission(mark)) item.append(make("q", { className: "read", dir: "auto", textContent: quoteOf(mark) }));
    if (isOpen) {
      const remove = iconButton("cross", say("mark-remove", { kind: kindOf(mark).join(", ") }), () => {
        store(removeMark(marks, mark));
        status.textContent = say("mark-removed");
        wordButton.focus();
      });
      item.append(remove);
    }
    const light = (on) => () => paint("find-now", fieldset, on && !isOmission(mark) ? [rangeOf(mark)] : []);
    item.addEventListener("pointerenter", light(true));
    item.addEventListener("pointerleave", light(false));
    item.addEventListener("focusin", light(true));
    item.addEventListener("focusout", light(false));
    return item;
  }
  function store(changed, clean = false) {
    marks = changed;
    field.value = writeMarks(marks, clean);
    paint("find-now", fieldset, []);
    show();
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /* What is being marked */

  function showOffer() {
    const step = nextStep(pending, categories);
    offer.hidden = !step;
    for (const group of $$("[data-mark-step]", offer)) group.hidden = group.dataset.markStep !== step;
    if (!step) return;
    const quote = pending.place.start === undefined ? categoryLabel(pending) : quoteOf(pending.place);
    $("[data-mark-quote]", offer).textContent = quote;
    status.textContent = say(step === "category" ? "mark-category" : "mark-severity", { words: quote });
    if (placed) placeOffer();
  }
  function placeOffer() {
    const home = offer.offsetParent;
    const box = home.getBoundingClientRect();
    const left = Math.max(8, Math.min(placed.left - box.left, box.width - offer.offsetWidth - 8));
    offer.style.setProperty("inset-block-start", `${placed.bottom - box.top + home.scrollTop + 6}px`);
    offer.style.setProperty("left", `${left}px`);
    offer.scrollIntoView({ block: "nearest" });
  }
  function stop() {
    pending = placed = null;
    showOffer();
  }
  function cancel() {
    if (!pending) return false;
    stop();
    getSelection().removeAllRanges();
    status.textContent = say("mark-cancelled");
    return true;
  }
  function take(value) {
    const next = choose(pending, categories, value);
    pending = next.pending;
    if (!next.mark) {
      showOffer();
      return;
    }
    stop();
    getSelection().removeAllRanges();
    store(addMark(marks, next.mark));
    status.textContent = say("mark-added", { kind: kindOf(next.mark).join(", ") });
  }
  function offerWords(from, to, box) {
    const span = toSpan(text, 0, from, to);
    if (!span || (pending?.place.start === span.start && pending.place.end === span.end)) return;
    pending = { place: { start: span.start, end: span.end } };
    placed = box;
    showOffer();
  }
  function followSelection() {
    const selection = getSelection();
    const found = summary ? selected(selection, [summary]) : null;
    if (found) {
      words = wordsBetween(wordPlaces(text), found.from, found.to) ?? words;
      offerWords(found.from, found.to, selection.getRangeAt(0).getBoundingClientRect());
    } else if (pending?.place.start !== undefined && !offer.contains(document.activeElement)) stop();
  }
  function chooseWord(by, extend) {
    const places = wordPlaces(text);
    const next = moveWords(places.length, words, by, extend);
    const node = summary?.firstChild;
    if (!next || !node) return;
    getSelection().setBaseAndExtent(node, places[next.from][0], node, places[next.to][1]);
    words = next;
    offerWords(places[next.from][0], places[next.to][1], getSelection().getRangeAt(0).getBoundingClientRect());
  }

  show();
  fieldset.addEventListener("marks-written", () => {
    marks = parseMarks(field.value);
    show();
  });
  if (!isOpen) return;

  listen(document, "selectionchange", followSelection);
  offer.addEventListener("pointerdown", (event) => event.preventDefault()); // a press must not clear the selection
  for (const button of [...buttons("category"), ...buttons("severity")])
    button.addEventListener("click", () => {
      take(button.dataset.value);
      if (pending) buttons("severity")[0].focus({ preventScroll: true });
      else wordButton.focus({ preventScroll: true });
    });
  $("[data-mark-cancel]", offer).addEventListener("click", cancel);
  wordButton.addEventListener("click", () => chooseWord(1, false));
  wordButton.addEventListener("keydown", (event) => {
    const right = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!right || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const rtl = summary && getComputedStyle(summary).direction === "rtl";
    chooseWord(rtl ? -right : right, event.shiftKey);
  });
  function omit() {
    if (!$("[data-add-omission]", fieldset)) return false;
    pending = { place: {}, category: OMISSION };
    words = null;
    placed = $("[data-add-omission]", fieldset).getBoundingClientRect();
    showOffer();
    return true;
  }
  $("[data-add-omission]", fieldset)?.addEventListener("click", () => {
    omit();
    buttons("severity")[0].focus({ preventScroll: true });
  });
  noErrors.addEventListener("change", (event) => {
    event.stopPropagation(); // the change of the stored answer is what counts
    store([], noErrors.checked);
  });
  onKey("m", () => {
    wordButton.focus({ preventScroll: true });
    if (!pending) chooseWord(1, false);
  });
  onKey("+", omit);
  onKey("z", () => {
    if (!marks.length) return false;
    store(marks.slice(0, -1));
    status.textContent = say("mark-removed");
    return true;
  });
  onKey("Escape", cancel);
  for (let number = 1; number <= 9; number += 1)
    onKey(String(number), () => {
      if (!pending) followSelection(); // the event of a very quick hand may still be on its way
      const button = pending && buttons(nextStep(pending, categories))[number - 1];
      if (!button) return Boolean(pending);
      take(button.dataset.value);
      return true;
    });
}
