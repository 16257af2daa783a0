// Comments on words of the summary: selected by mouse, or chosen with the arrow keys. Offsets are code points.
import { $, iconButton, make } from "./dom.js";
import { paint, rangeIn } from "./highlight.js";
import { onKey } from "./keys.js";
import { toRange, toSpan } from "./offsets.js";
import { selected } from "./selecting.js";
import { moveWords, wordPlaces } from "./spans.js";

// form: null where the page is only read. text: the summary as it is stored. shown: comments to paint.
export function commenting({ form, summary, text, shown, say, onChange }) {
  if (summary.textContent !== text) summary.textContent = text; // markup changes line ends; offsets need the text
  const node = () => summary.firstChild;
  const show = (rows) =>
    paint(
      "span",
      summary,
      rows.map((row) => {
        const range = toRange(text, row);
        return range && node() && rangeIn(summary, range.from, range.to);
      }),
    );
  if (!form) {
    show(shown);
    return { any: () => false };
  }
  const field = $("[data-comments-field]", form);
  const list = $("[data-comments]", form);
  const offer = $("[data-comment-offer]", form);
  const rows = [];
  let pending = null;
  let choice = null;

  function keep() {
    field.value = JSON.stringify(rows.map(({ start, end, quote, comment }) => ({ start, end, quote, comment })));
    show(pending ? [...rows, pending] : rows);
    onChange();
  }
  function add(span, comment = "") {
    const row = { start: span.start, end: span.end, quote: span.quote, comment };
    const why = make("textarea", { className: "field", rows: 2, maxLength: 4000, dir: "auto", value: comment });
    why.setAttribute("aria-label", say("comment-on", { quote: row.quote }));
    why.addEventListener("input", () => {
      row.comment = why.value;
      keep();
    });
    const quote = make("q", { dir: "auto", textContent: row.quote });
    const item = make("li");
    const remove = iconButton("cross", say("remove", { quote: row.quote }), () => {
      rows.splice(rows.indexOf(row), 1);
      item.remove();
      keep();
      summary.focus();
    });
    item.append(make("div", { className: "head" }, quote, remove), why);
    rows.push(row);
    list.append(item);
    keep();
    return why;
  }
  function offered(span) {
    pending = span;
    offer.hidden = !span;
    $("[data-comment-said]", offer).textContent = span ? say("chosen", { quote: span.quote }) : "";
    show(pending ? [...rows, pending] : rows);
  }
  function commentOnSelection() {
    if (!pending) return false;
    const span = pending;
    offered(null);
    choice = null;
    getSelection().removeAllRanges();
    add(span).focus();
    return true;
  }
  document.addEventListener("selectionchange", () => {
    const found = selected(getSelection(), [summary]);
    if (found) offered(toSpan(text, 0, found.from, found.to));
    else if (!choice && !offer.contains(document.activeElement)) offered(null);
  });
  offer.addEventListener("pointerdown", (event) => event.preventDefault()); // a press must not clear the selection
  $("[data-comment-add]", offer).addEventListener("click", commentOnSelection);
  onKey("c", commentOnSelection);
  summary.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      choice = null;
      offered(null);
      return;
    }
    const right = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!right || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const words = wordPlaces(text);
    const rtl = getComputedStyle(summary).direction === "rtl";
    choice = moveWords(words.length, choice, rtl ? -right : right, event.shiftKey);
    if (choice) offered(toSpan(text, 0, words[choice.from][0], words[choice.to][1]));
  });
  try {
    for (const row of JSON.parse(field.value || "[]")) if (row && toRange(text, row)) add(row, row.comment);
  } catch {
    /* what cannot be read was refused by the server already */
  }
  return { any: () => rows.some((row) => row.comment.trim()) };
}
