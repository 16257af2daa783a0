// What does not fit on the page at its present width: [sentence, ...]. Texts are measured where they are painted.
() => {
  const faults = new Set();
  const root = document.documentElement;
  const name = (element) => {
    const id = element.id ? `#${element.id}` : "";
    const classes = [...element.classList].map((word) => `.${word}`).join("");
    return `${element.localName}${id}${classes} “${element.textContent.trim().replace(/\s+/g, " ").slice(0, 30)}”`;
  };
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const isHidden = (element) =>
    element.closest(".visually-hidden, .skip-link, dialog:not([open]), template, script, style, option, .mirror") ||
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const cut = (a, b) => ({
    left: Math.max(a.left, b.left),
    right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const everything = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };
  // What may be seen inside an element, and the nearest element that floats above the page.
  const frames = new Map([[root, { box: everything, layer: null, scrolls: false }]]);
  const frameOf = (element) => {
    if (!element || element === document) return frames.get(root);
    if (frames.has(element)) return frames.get(element);
    const above = frameOf(element.parentElement);
    const { overflowX, overflowY, position } = styleOf(element);
    const clips = overflowX !== "visible" || overflowY !== "visible";
    const frame = {
      box: clips ? cut(above.box, element.getBoundingClientRect()) : above.box,
      layer: position === "fixed" || position === "sticky" ? element : above.layer,
      scrolls: above.scrolls || overflowX === "auto" || overflowX === "scroll",
    };
    frames.set(element, frame);
    return frame;
  };

  if (root.scrollWidth > innerWidth + 1) {
    const wide = [...document.body.querySelectorAll("*")].filter(
      (element) =>
        !isHidden(element) && element.getBoundingClientRect().right > innerWidth + 1 && !frameOf(element).scrolls,
    );
    faults.add(`the page is ${root.scrollWidth} px wide: ${wide.slice(-3).map(name).join(", ")}`);
  }

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || isHidden(element)) continue;
    const frame = frameOf(element);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const seen = cut(rect, frame.box);
      const spare = rect.height * 0.25; // the room above and below the letters
      const box = { left: seen.left + 1, right: seen.right - 1, top: seen.top + spare, bottom: seen.bottom - spare };
      if (box.right - box.left > 2 && box.bottom - box.top > 2) texts.push({ node, element, box, layer: frame.layer });
    }
  }
  texts.sort((a, b) => a.box.top - b.box.top);
  let from = 0;
  texts.forEach((text, at) => {
    while (texts[from].box.bottom < text.box.top - 200) from += 1;
    for (let before = from; before < at; before += 1) {
      const other = texts[before];
      if (other.node === text.node || other.layer !== text.layer) continue;
      const both = cut(text.box, other.box);
      if (both.right - both.left > 1 && both.bottom - both.top > 1)
        faults.add(`${name(text.element)} is painted over ${name(other.element)}`);
    }
  });

  for (const element of document.querySelectorAll("a, button, summary, .chip, .status, .tag, td, th, label")) {
    if (isHidden(element)) continue;
    const { overflowX, textOverflow } = styleOf(element);
    const clips = overflowX === "hidden" || overflowX === "clip";
    if (clips && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1)
      faults.add(`${name(element)} is cut: ${element.scrollWidth} of ${element.clientWidth} px`);
    const rect = element.getBoundingClientRect();
    if (rect.width && (rect.right > innerWidth + 1 || rect.left < -1) && !frameOf(element).scrolls)
      faults.add(`${name(element)} lies outside the window`);
  }
  return [...faults];
}
