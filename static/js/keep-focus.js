// A page that loads itself again keeps the place of a person who works by keyboard.

const PLACE = "epitome-focus";

// A selector that finds the element again on the new page; "" where there is none.
export function describe(element, escape = (text) => globalThis.CSS.escape(text)) {
  if (!element || element.tagName === "BODY") return "";
  if (element.id) return `#${escape(element.id)}`;
  const href = element.getAttribute("href");
  if (href) return `a[href="${escape(href)}"]`;
  const name = element.getAttribute("name");
  return name ? `[name="${escape(name)}"]` : "";
}

export function rememberFocus(store, page, element) {
  const selector = describe(element);
  if (selector) store.setItem(PLACE, JSON.stringify({ path: page.pathname, selector }));
}

export function restoreFocus(store, page, root) {
  const kept = store.getItem(PLACE);
  if (!kept) return;
  store.removeItem(PLACE);
  const { path, selector } = JSON.parse(kept);
  if (path === page.pathname) root.querySelector(selector)?.focus();
}
