// A suggested text that an empty draft starts from: where it is used, and while it is shown as one.
import { $ } from "./dom.js";
import { even } from "./pasted.js";

export const PIECE = 12; // characters in a row that are still the suggestion's

// The draft to start with. A text that somebody wrote, also an empty one that was saved, is never replaced.
export function startingDraft({ draft, suggestion }) {
  if (!suggestion?.text || draft.revision > 0) return draft;
  return { ...draft, payload: { ...draft.payload, summary: suggestion.text } };
}

function pieces(text, size) {
  const known = new Set();
  for (let at = 0; at + size <= text.length; at += 1) known.add(text.slice(at, at + size));
  return known;
}

// Says of a text whether it still holds a piece of the suggestion; white space is made even.
export function holdsPieceOf(suggestion) {
  const suggested = even(suggestion);
  const size = Math.min(PIECE, suggested.length);
  const known = pieces(suggested, size);
  return (text) => {
    const looked = even(text);
    for (let at = 0; size && at + size <= looked.length; at += 1) {
      if (known.has(looked.slice(at, at + size))) return true;
    }
    return false;
  };
}

// The sentence above the field, which it describes while the text holds some of the suggestion. Answers what shows or
// hides it.
export function suggestionNotice({ root, field, suggestion, onClear }) {
  const place = $("[data-suggested]", root);
  if (!place) return () => {};
  const holds = holdsPieceOf(suggestion.text);
  const described = field.getAttribute("aria-describedby");
  $("[data-clear-suggestion]", place).addEventListener("click", onClear);
  return (text) => {
    place.hidden = !holds(text);
    field.setAttribute("aria-describedby", place.hidden ? described : `suggested-said ${described}`);
  };
}
