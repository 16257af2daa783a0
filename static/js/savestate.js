// Says in the header what happened to the draft. Only trouble and its end are announced aloud.
import { $, setIcon } from "./dom.js";

const LOOKS = {
  changed: "sync",
  saving: "sync",
  saved: "cloud",
  conflict: "warn",
  offline: "offline",
  error: "warn",
  refused: "warn",
  gone: "lock",
  session: "lock",
};
const TROUBLE = new Set(["conflict", "offline", "error", "refused", "gone", "session"]);

export function saveState({ say }) {
  const element = $("[data-save-state]");
  const announcer = $("[data-save-said]");
  let before = "saved";
  return function show(state, details = {}) {
    const shown = ["session", "refused", "gone"].includes(state) ? "error" : state === "changed" ? "saving" : state;
    element.dataset.state = shown;
    setIcon($(".icon", element), LOOKS[state]);
    const at = say.clock(details.at ? new Date(details.at) : new Date());
    const words = say(`save-${state}`, { at, detail: details.detail ?? "" });
    const unkept = details.kept === false && TROUBLE.has(state) && state !== "conflict";
    const more = say(unkept ? "save-unkept" : `save-${state}-more`, {
      n: details.seconds ?? 0,
      detail: details.detail ?? "",
    });
    $("[data-short]", element).textContent = words;
    $("[data-long]", element).textContent = more && ` – ${more}`;
    element.title = more;
    if (TROUBLE.has(state) && state !== before) announcer.textContent = `${words}. ${more}`;
    if (state === "saved" && TROUBLE.has(before)) announcer.textContent = words;
    if (state !== "changed" && state !== "saving") before = state;
  };
}
