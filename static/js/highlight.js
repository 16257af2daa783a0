// Named highlights over text nodes (CSS Custom Highlight API): no markup changes, so every segment stays one text
// node and offsets stay true. Browsers without it show ticked segments and the list of selections.
const supported = typeof CSS !== "undefined" && "highlights" in CSS;
const groups = new Map();

export function paint(name, owner, ranges) {
  if (!supported) return;
  if (!groups.has(name)) groups.set(name, new Map());
  groups.get(name).set(owner, ranges.filter(Boolean));
  const highlight = new Highlight(...[...groups.get(name).values()].flat());
  highlight.priority = ["topic", "span", "copied", "find", "find-now"].indexOf(name) + 1;
  CSS.highlights.set(name, highlight);
}

export function rangeIn(element, start, end) {
  const node = element?.firstChild;
  if (!node || node.nodeType !== Node.TEXT_NODE || end > node.length) return null;
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}
