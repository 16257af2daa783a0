// The source beside an item to rate: its pane, the copied words on demand, and the button that hides it.
import { copiedWords } from "./copied.js";
import { $ } from "./dom.js";
import { onKey } from "./keys.js";
import { copiedRuns, indexSource } from "./overlap.js";
import { sourcePane } from "./source.js";

export function showSource({ main, item, say }) {
  const segments = item.source?.segments ?? [];
  const pane = segments.length ? sourcePane({ root: $(".bench-source"), segments, say, onMarks() {} }) : null;
  const checkbox = $("[data-show-copied]");
  if (pane && checkbox) showCopiedOnDemand({ main, item, say, pane, segments, checkbox });
}

function showCopiedOnDemand({ main, item, say, pane, segments, checkbox }) {
  const mirror = $("[data-summary]");
  const { text } = item.summaries[0];
  if (text && mirror.textContent !== text) mirror.textContent = text; // offsets need the text as it is stored
  const box = $("[data-runs-box]");
  const words = copiedWords({ root: main, mirror, pane, segments, say });
  let index = null; // built once, when it is first needed
  checkbox.addEventListener("change", () => {
    box.hidden = !checkbox.checked;
    if (checkbox.checked) index ??= indexSource(segments, item.source.domain);
    words.show(text, checkbox.checked ? copiedRuns(text, index) : []);
  });
  onKey("c", () => {
    checkbox.click();
  });
}

export function toggleSourceOnDemand({ main, say }) {
  const button = $("[data-toggle-source]");
  button?.addEventListener("click", () => {
    const isOpen = main.dataset.source === "open";
    main.dataset.source = isOpen ? "closed" : "open";
    button.setAttribute("aria-expanded", String(!isOpen));
    $("span", button).textContent = say(isOpen ? "show-source" : "hide-source");
  });
  onKey("o", () => {
    button?.click();
  });
}
