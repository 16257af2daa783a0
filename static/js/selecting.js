// Marking words inside one segment: by mouse or touch selection, or with the arrow keys on a segment's number.
import { $ } from "./dom.js";
import { onKey } from "./keys.js";
import { listen } from "./life.js";
import { toSpan } from "./offsets.js";
import { toStored } from "./shown-text.js";
import { moveWords, wordPlaces } from "./spans.js";

// The one segment a selection lies in: {segment, from, to} in UTF-16 units of the stored text, or null when it lies in
// none or several.
export function selected(selection, texts) {
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const hits = [];
  texts.forEach((element, segment) => {
    const node = element.firstChild;
    if (!node || !range.intersectsNode(node)) return;
    const from = range.startContainer === node ? range.startOffset : 0;
    const to = range.endContainer === node ? range.endOffset : node.length;
    if (from < to) hits.push({ segment, ...toStored(element, from, to) });
  });
  return hits.length === 1 ? hits[0] : null;
}

export function spanMarking({ pane, segments, onSpan }) {
  const offer = $("[data-span-offer]", pane.list);
  let pending = null;
  let choice = null; // words chosen with the arrows: {segment, from, to}

  function place(box) {
    const home = pane.list.getBoundingClientRect();
    offer.hidden = false;
    const left = Math.max(8, Math.min(box.left - home.left, home.width - offer.offsetWidth - 8));
    offer.style.setProperty("inset-block-start", `${box.bottom - home.top + 6}px`);
    offer.style.setProperty("left", `${left}px`);
  }
  listen(document, "selectionchange", () => {
    const selection = getSelection();
    const found = pane.active() ? selected(selection, pane.texts) : null;
    pending = found && toSpan(segments[found.segment].text, found.segment, found.from, found.to);
    if (!pending) choice = null;
    if (pending) place(selection.getRangeAt(0).getBoundingClientRect());
    else if (!offer.contains(document.activeElement)) offer.hidden = true;
  });

  function keep() {
    const now = selected(getSelection(), pane.texts); // the event of a very quick hand may still be on its way
    pending ??= now && toSpan(segments[now.segment].text, now.segment, now.from, now.to);
    if (!pending) return false;
    onSpan(pending);
    pending = null;
    choice = null;
    offer.hidden = true;
    getSelection().removeAllRanges();
    return true;
  }
  offer.addEventListener("pointerdown", (event) => event.preventDefault()); // a press must not clear the selection
  $("[data-keep]", offer).addEventListener("click", keep);
  onKey("s", keep);

  function chooseWord(segment, by, extend) {
    const words = wordPlaces(pane.texts[segment].textContent);
    const before = choice?.segment === segment && !getSelection().isCollapsed ? choice : null;
    const next = moveWords(words.length, before, by, extend);
    if (!next) return;
    choice = { segment, ...next };
    const node = pane.texts[segment].firstChild;
    getSelection().setBaseAndExtent(node, words[next.from][0], node, words[next.to][1]);
    const stored = toStored(pane.texts[segment], words[next.from][0], words[next.to][1]);
    pending = toSpan(segments[segment].text, segment, stored.from, stored.to); // the event comes later
  }
  pane.buttons.forEach((button, segment) =>
    button.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && pending) {
        getSelection().removeAllRanges();
        return;
      }
      const right = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!right) return;
      event.preventDefault();
      const rtl = getComputedStyle(pane.texts[segment]).direction === "rtl";
      chooseWord(segment, rtl ? -right : right, event.shiftKey);
    }),
  );
}
