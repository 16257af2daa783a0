// The last step's list: what was asked of each attribute, what was measured, and how the two compare.
import { $, icon, make } from "./dom.js";

const ICONS = { in: "check", over: "warn", under: "warn" };

// Values as people read them: the names of what was chosen, or the label of the value.
function requested({ value, value_label: label }) {
  return Array.isArray(value) ? value : value === null ? [] : [label || String(value)];
}

// The whole request in one line, as it is known so far.
export function requestLine({ attributes, group }, say) {
  const parts = attributes.flatMap((attribute) => {
    const { key, label, revealed } = attribute;
    const values = revealed ? requested(attribute) : group.asks.includes(key) ? [say("yours-to-pick")] : [];
    return values.length ? [`${label}: ${say.list(values)}`] : [];
  });
  return parts.join(" · ");
}

export function reviewList({ root, task, say }) {
  const cells = new Map();
  const rows = task.attributes.flatMap((attribute) => {
    const values = attribute.revealed ? requested(attribute) : [];
    if (!values.length) return [];
    const cell = make("dd", { textContent: say("review-by-reading") });
    cells.set(attribute.key, cell);
    const asked = make("strong", { textContent: say.list(values), dir: "auto" });
    return [make("div", {}, make("dt", {}, make("bdi", { textContent: attribute.label }), " ", asked), cell)];
  });
  $("[data-review-list]", root)?.replaceChildren(...rows);
  return {
    // key: of the attribute. text: the number with its unit. place: "in", "over", "under" or "" (nothing to compare
    // with). said: the sentence for it.
    show(key, { text, place, said }) {
      const cell = cells.get(key);
      if (!cell) return;
      cell.parentElement.dataset.place = place;
      const mark = ICONS[place] ? [icon(ICONS[place])] : [];
      const sentence = said ? [make("span", { className: "place", textContent: ` ${said}` })] : [];
      cell.replaceChildren(...mark, make("strong", { textContent: text }), ...sentence);
    },
  };
}
