// The letter of a summary in a list is dragged onto a place, by mouse, pen or finger. The buttons on the cards, the
// fields of the question and the keys give the same answer.
import { $$ } from "./dom.js";

const LEAST = 6; // pixels: less is a press

const placeAt = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY)?.closest("[data-drop]") ?? null;

// A copy of the letter above the page, so that no part that scrolls cuts it.
function liftCopy(handle) {
  const copy = handle.cloneNode(true);
  copy.removeAttribute("data-drag");
  copy.setAttribute("aria-hidden", "true");
  copy.classList.add("is-lifted");
  document.body.append(copy);
  return copy;
}

// onDrop(place, letter): called when a letter is let go over a place; elsewhere nothing happens.
function follow(handle, { pointerId, clientX, clientY }, onDrop) {
  const ending = new AbortController();
  let copy = null;
  let place = null;

  function pointAt(next) {
    place?.classList.remove("is-target");
    next?.classList.add("is-target");
    place = next;
  }
  function move(event) {
    if (!copy && Math.hypot(event.clientX - clientX, event.clientY - clientY) < LEAST) return;
    copy ??= liftCopy(handle);
    copy.style.translate = `${event.clientX}px ${event.clientY}px`;
    pointAt(placeAt(event));
  }
  function end({ type }) {
    ending.abort();
    copy?.remove();
    const found = place;
    pointAt(null);
    if (found && type === "pointerup") onDrop(found, handle.dataset.drag);
  }

  handle.setPointerCapture(pointerId);
  handle.addEventListener("pointermove", move, { signal: ending.signal });
  for (const type of ["pointerup", "pointercancel"]) handle.addEventListener(type, end, { signal: ending.signal });
}

export function dragLetters(onDrop) {
  for (const handle of $$("[data-drag]"))
    handle.addEventListener("pointerdown", (event) => {
      if (event.isPrimary && event.button === 0) follow(handle, event, onDrop);
    });
}
