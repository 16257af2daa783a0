// Messages of the server and of scripts as toasts: read aloud as they come, gone once there was time to read them.
// Warnings and errors stay until somebody closes them.
import { $, $$, icon, iconButton, make } from "./dom.js";

const region = () => $("[data-toasts]");
const ICONS = { success: "check", info: "info", warn: "warn", danger: "warn" };

// Milliseconds that a text stays: slow readers included.
export const timeToRead = (text) => Math.max(7000, 2000 + 80 * text.length);

export const staysOpen = (classes) => classes.contains("warn") || classes.contains("danger");

// A toast that somebody points at, or has the focus in, does not go.
function leaveInTime(toast) {
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => toast.remove(), timeToRead(toast.textContent.trim()));
  };
  const hold = () => clearTimeout(timer);
  for (const type of ["pointerenter", "focusin"]) toast.addEventListener(type, hold);
  for (const type of ["pointerleave", "focusout"]) toast.addEventListener(type, wait);
  wait();
}

function open(toast) {
  toast.append(iconButton("cross", region().dataset.closeLabel, () => toast.remove()));
  region().append(toast);
  if (!staysOpen(toast.classList)) leaveInTime(toast);
}

// level: success, info, warn or danger.
export function showToast(text, level = "success") {
  const toast = make("div", { className: `notice ${level}` }, icon(ICONS[level]));
  toast.append(make("div", {}, make("p", { textContent: text, dir: "auto" })));
  open(toast);
}

// The messages that came with the page. They are put in anew, for what stands in a page from the start is not read aloud.
export function openToasts() {
  const toasts = $$(".notice", region() ?? undefined);
  for (const toast of toasts) toast.remove();
  setTimeout(() => toasts.forEach(open));
}
