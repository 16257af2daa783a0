// Named highlights over text nodes (CSS Custom Highlight API): no markup changes, so every segment stays one text
// node and offsets stay true. Browsers without it show ticked segments and the list of selections.
import { toShown } from "./shown-text.js";

const supported = typeof CSS !== "undefined" && "highlights" in CSS;
const groups = new Map();

export function paint(name, owner, ranges) {
  if (!supported) return;
  if (!groups.has(name)) groups.set(name, new Map());
  groups.get(name).set(owner, ranges.filter(Boolean));
  const highlight = new Highlight(...[...groups.get(name).values()].flat());
  highlight.priority =
    ["topic", "span", "copied", "error-1", "error-2", "error-3", "find", "find-now"].indexOf(name) + 1;
  CSS.highlights.set(name, highlight);
}

// The range of the stored text from start to end, where the element shows it.
export function rangeIn(element, start, end) {
  const node = element?.firstChild;
  const shown = element && toShown(element, start, end);
  if (!shown || node?.nodeType !== Node.TEXT_NODE || shown.to > node.length) return null;
  const range = new Range();
  range.setStart(node, shown.from);
  range.setEnd(node, shown.to);
  return range;
}
