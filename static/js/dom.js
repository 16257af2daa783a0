// Short names for what every part of the task page does with the document. Text goes in as text, never as markup.

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

const SVG = "http://www.w3.org/2000/svg";
let sprite;

export function icon(name) {
  sprite ??= $("svg.icon use").getAttribute("href").split("#")[0];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

export const setIcon = (svg, name) => {
  const use = $("use", svg);
  use.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#${name}`);
};

export function make(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

export function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// A button that shows an icon and says its work in words.
export function iconButton(name, label, run) {
  const button = make("button", { type: "button", className: "icon-button", title: label }, icon(name));
  button.setAttribute("aria-label", label);
  button.addEventListener("click", run);
  return button;
}

// Say something where it is announced; nothing hides the place.
export function tell(element, text) {
  if (!element) return;
  element.hidden = !text;
  element.textContent = text;
}
