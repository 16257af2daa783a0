// Find in the source: every place of the typed words, one after the other.
import { $ } from "./dom.js";
import { paint, rangeIn } from "./highlight.js";
import { onKey } from "./keys.js";
import { toStored } from "./shown-text.js";

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// All places of `typed` in the texts as they are shown, case aside: {segment, from, to} in UTF-16 units.
export function places(texts, typed) {
  const want = typed.trim();
  if (!want) return [];
  const pattern = new RegExp(want.split(/\s+/).map(escaped).join("\\s+"), "giu");
  return texts.flatMap((text, segment) =>
    [...text.matchAll(pattern)].map((found) => ({ segment, from: found.index, to: found.index + found[0].length })),
  );
}

export function findIn({ root, texts, shown, say, onChange, onLeave }) {
  const field = $("[data-find]", root);
  const count = $("[data-find-count]", root);
  let hits = [];
  let now = -1;

  function show(by = 0, scroll = true) {
    if (hits.length) now = (now + by + hits.length) % hits.length;
    const range = ({ segment, ...hit }) => {
      const stored = toStored(texts[segment], hit.from, hit.to);
      return rangeIn(texts[segment], stored.from, stored.to);
    };
    paint("find", root, hits.map(range));
    paint("find-now", root, hits[now] ? [range(hits[now])] : []);
    count.textContent = !field.value.trim()
      ? ""
      : hits.length
        ? say("find-at", { at: now + 1, all: hits.length })
        : say("find-none");
    if (scroll && hits[now]) texts[hits[now].segment].scrollIntoView({ block: "center" });
    onChange();
  }
  function refresh(scroll = false) {
    hits = places(
      texts.map((element) => element.textContent),
      field.value,
    ).filter((hit) => shown(hit.segment));
    now = hits.length ? 0 : -1;
    show(0, scroll === true);
  }
  field.addEventListener("input", () => refresh(true));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      show(event.shiftKey ? -1 : 1);
    }
    if (event.key === "Escape") {
      field.value = "";
      refresh();
      onLeave();
    }
  });
  $("[data-find-next]", root).addEventListener("click", () => show(1));
  $("[data-find-previous]", root).addEventListener("click", () => show(-1));
  onKey("/", () => {
    if (field.offsetParent === null) return false;
    field.focus();
    field.select();
    return true;
  });
  return {
    refresh: () => {
      if (field.value.trim()) refresh();
    },
    segments: () => new Set(hits.map((hit) => hit.segment)),
  };
}
