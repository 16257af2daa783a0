// On every page: theme button, account menu, dialogs, keyboard help, narrow-screen panes, guides of the request.
import { restoreFocus } from "./keep-focus.js";
import { openHelp } from "./keys.js";
import { openToasts } from "./toasts.js";
import { followValidity } from "./validity.js";

const root = document.documentElement;

export const themeOf = (chosen, prefersDark) => chosen || (prefersDark ? "dark" : "light");
const now = () => themeOf(root.dataset.theme, matchMedia("(prefers-color-scheme: dark)").matches);

followValidity(document);
openToasts();
restoreFocus(sessionStorage, location, document);

// The form posts without script; with it the colours change at once and the cookie tells the server.
for (const form of document.querySelectorAll("[data-theme-form]")) {
  const button = form.querySelector("button");
  const label = () => {
    const next = now() === "dark" ? "light" : "dark";
    button.value = next;
    button.setAttribute("aria-label", button.dataset[next]);
    button.title = button.dataset[next];
  };
  label();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    root.dataset.theme = button.value;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `theme=${root.dataset.theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    label();
  });
}

for (const menu of document.querySelectorAll("[data-menu]")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
  });
}

// Parts of a page may be replaced: dialogs and chips are listened to from outside.
document.addEventListener("click", (event) => {
  const pressed = (selector) => event.target.closest?.(selector);
  const opener = pressed("[data-open-dialog]");
  if (opener) document.getElementById(opener.dataset.openDialog).showModal();
  pressed("[data-close-dialog]")?.closest("dialog").close();
  const chip = pressed("button.chip[aria-controls]");
  if (chip) toggleGuide(chip);
});
document.querySelector("[data-help]")?.addEventListener("click", openHelp);

// Bring the current entry of a scrolling row into view, without moving the page.
for (const row of document.querySelectorAll(".nav, .tabs")) {
  const current = row.querySelector("[aria-current]");
  if (!current || row.scrollWidth <= row.clientWidth) continue;
  const [inner, outer] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

for (const input of document.querySelectorAll(".pane-switch input")) {
  input.addEventListener("change", () => {
    document.querySelector(".bench").dataset.pane = input.value;
    scrollTo(0, 0);
  });
}

// Chips of the request: one guide open at a time, in the paragraph below them.
function toggleGuide(chip) {
  const open = chip.getAttribute("aria-expanded") !== "true";
  for (const other of chip.parentElement.querySelectorAll("button.chip[aria-controls]")) {
    other.setAttribute("aria-expanded", String(other === chip && open));
    document.getElementById(other.getAttribute("aria-controls")).hidden = !(other === chip && open);
  }
}

// A form that was sent waits for its answer: a second click sends nothing more.
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
