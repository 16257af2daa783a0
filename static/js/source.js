// The source pane: cursor (j k, arrows), marks (click, Shift click, x, Shift x), filters, the map at the edge.
import { $, $$, shape } from "./dom.js";
import { findIn } from "./find.js";
import { paint, rangeIn } from "./highlight.js";
import { onKey } from "./keys.js";
import { listen } from "./life.js";
import { toRange } from "./offsets.js";
import { showSegment } from "./shown-text.js";

// segments: the exact texts; onMarks(indices) is called when a person changed a mark.
export function sourcePane({ root, segments, say, onMarks }) {
  const list = $("[data-turns]", root);
  const turns = $$(".turn", list);
  const texts = turns.map((turn) => $(".turn-text", turn));
  const buttons = turns.map((turn) => $(".turn-mark", turn));
  const readOnly = list.classList.contains("read-only");
  texts.forEach((node, i) => showSegment(node, segments[i]));
  const marks = new Set();
  let cursor = 0;
  let anchor = 0;
  let drawing = 0;

  const active = () => list.offsetParent !== null;
  const shown = (i) => Boolean(turns[i]) && !turns[i].hidden;

  function paintMark(i) {
    turns[i].classList.toggle("is-marked", marks.has(i));
    buttons[i].setAttribute("aria-pressed", String(marks.has(i)));
  }
  function setMarks(indices) {
    const before = new Set(marks);
    marks.clear();
    for (const i of indices) marks.add(i);
    for (const i of new Set([...before, ...marks])) paintMark(i);
    drawMap();
  }
  function change(indices, on) {
    if (readOnly) return;
    for (const i of indices) {
      if (on) marks.add(i);
      else marks.delete(i);
      paintMark(i);
    }
    drawMap();
    onMarks([...marks].sort((a, b) => a - b));
  }
  function toggle(i, upToHere) {
    if (!upToHere) {
      change([i], !marks.has(i));
      anchor = i;
      return;
    }
    const range = [];
    for (let k = Math.min(anchor, i); k <= Math.max(anchor, i); k += 1) if (shown(k)) range.push(k);
    change(range, true);
  }

  function moveTo(i, { focus = true, scroll = true } = {}) {
    if (!turns[i]) return;
    turns[cursor].classList.remove("is-cursor");
    buttons[cursor].tabIndex = -1;
    cursor = i;
    buttons[i].tabIndex = 0;
    if (focus) {
      turns[i].classList.add("is-cursor");
      buttons[i].focus({ preventScroll: true });
    }
    if (scroll) turns[i].scrollIntoView({ block: "nearest" });
  }
  function step(by) {
    const fresh = document.activeElement !== buttons[cursor];
    if (fresh && shown(cursor)) return moveTo(cursor);
    let next = cursor + by;
    while (turns[next] && !shown(next)) next += by;
    return moveTo(turns[next] ? next : cursor);
  }

  buttons.forEach((button, i) => {
    button.addEventListener("click", (event) => {
      moveTo(i, { scroll: false });
      toggle(i, event.shiftKey);
    });
    button.addEventListener("focus", () => {
      if (cursor !== i) moveTo(i, { focus: false, scroll: false });
      turns[i].classList.add("is-cursor");
    });
    button.addEventListener("blur", () => turns[i].classList.remove("is-cursor"));
    button.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      step(by);
      if (event.shiftKey) toggle(cursor, true);
    });
  });
  const whenActive = (run) => (event) => (active() ? run(event) : false);
  onKey(
    "j",
    whenActive(() => step(1)),
  );
  onKey(
    "k",
    whenActive(() => step(-1)),
  );
  if (!readOnly)
    onKey(
      "x",
      whenActive((event) => {
        toggle(cursor, event.shiftKey);
        moveTo(cursor);
      }),
    );

  /* Filters */
  const onlyMarked = $("[data-only-marked]", root);
  const speakerBoxes = $$("[data-only-speaker]", root);
  const wanted = () => new Set(speakerBoxes.filter((box) => box.checked).map((box) => box.value));
  const spansIn = new Set();
  function filter() {
    const names = wanted();
    let any = false;
    turns.forEach((turn, i) => {
      const out =
        (onlyMarked?.checked && !marks.has(i) && !spansIn.has(i)) || (names.size && !names.has(segments[i].speaker));
      turn.hidden = Boolean(out);
      any ||= !out;
    });
    $("[data-nothing-shown]", list).hidden = any;
    if (!shown(cursor)) {
      const next = turns.findIndex((_, i) => shown(i));
      if (next >= 0) moveTo(next, { focus: false, scroll: false });
    }
    const said = $("[data-speaker-filter-said]", root);
    if (said)
      said.textContent = names.size
        ? say("speakers-shown", { n: names.size, all: speakerBoxes.length })
        : say("speakers-all");
    list.dispatchEvent(new Event("filtered"));
    drawMap();
  }
  const setSpeakers = (names) => {
    for (const box of speakerBoxes) box.checked = names.includes(box.value);
    filter();
  };
  onlyMarked?.addEventListener("change", filter);
  for (const box of speakerBoxes) box.addEventListener("change", filter);
  $("[data-speakers-all]", root)?.addEventListener("click", () => setSpeakers([]));
  $("[data-clear-filters]", root)?.addEventListener("click", () => {
    if (onlyMarked) onlyMarked.checked = false;
    setSpeakers([]);
  });
  if (onlyMarked)
    onKey(
      "m",
      whenActive(() => {
        onlyMarked.checked = !onlyMarked.checked;
        filter();
      }),
    );
  const menu = $("[data-speaker-filter]", root);
  if (menu) {
    listen(document, "click", (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        menu.open = false;
        $("summary", menu).focus();
      }
    });
  }

  /* The map: where marks and found words stand in the whole text */
  const map = $(".source-map", list);
  function drawMap() {
    if (!drawing)
      drawing = requestAnimationFrame(() => {
        drawing = 0;
        drawMapNow();
      });
  }
  function drawMapNow() {
    if (!active() || getComputedStyle(map).display === "none") return;
    const box = list.getBoundingClientRect();
    const height = list.offsetHeight || 1;
    const bar = (kind, i, x, width) => {
      const place = turns[i].getBoundingClientRect();
      return shape("rect", {
        class: kind,
        x,
        width,
        y: ((place.top - box.top) / height) * 1000,
        height: Math.max(4, (place.height / height) * 1000 - 2),
      });
    };
    $("g", map).replaceChildren(
      ...[...marks].filter(shown).map((i) => bar("marked", i, 0, 5)),
      ...[...find.segments()].filter(shown).map((i) => bar("find", i, 7, 5)),
    );
  }
  const find = findIn({ root, texts, shown, say, onChange: drawMap, onLeave: () => moveTo(cursor) });
  list.addEventListener("filtered", find.refresh);
  new ResizeObserver(drawMap).observe(list);

  return {
    list,
    turns,
    texts,
    buttons,
    active,
    setMarks,
    unmark: (i) => change([i], false),
    markAll: () =>
      change(
        turns.map((_, i) => i),
        true,
      ),
    setSpeakers,
    offerChosen(names) {
      const button = $("[data-speakers-chosen]", root);
      if (!button || !names.length) return;
      button.hidden = false;
      button.addEventListener("click", () => setSpeakers(names));
    },
    paintSpans(spans) {
      spansIn.clear();
      for (const span of spans) spansIn.add(span.segment);
      turns.forEach((turn, i) => turn.classList.toggle("has-span", spansIn.has(i)));
      paint(
        "span",
        list,
        spans.map((span) => {
          const range = toRange(segments[span.segment].text, span);
          return range && rangeIn(texts[span.segment], range.from, range.to);
        }),
      );
    },
    show(i) {
      const toSource = $(".pane-switch input[value=source]");
      if (toSource && toSource.closest(".pane-switch").offsetParent && !toSource.checked) toSource.click();
      if (!shown(i)) {
        if (onlyMarked) onlyMarked.checked = false;
        setSpeakers([]);
      }
      moveTo(i, { scroll: false });
      turns[i].scrollIntoView({ block: "center" });
      turns[i].classList.add("is-flash");
      setTimeout(() => turns[i].classList.remove("is-flash"), 1200);
    },
  };
}
