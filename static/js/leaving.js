// The ends of a task: submit, skip, and the way to the next one at the same place of the same source.
import { $, tell } from "./dom.js";
import { submitKey } from "./api.js";

const PLACE = "epitome-place";

// Remember where the reader was; the next page of the same source opens there.
export function rememberPlace(store, task, more = {}) {
  store.write(PLACE, { document: task.document.id, scroll: scrollY, ...more });
}

// The remembered place of this source, once.
export function takePlace(store, task) {
  const place = store.read(PLACE);
  store.remove(PLACE);
  return place?.document === task.document.id ? place : null;
}

export function leave({ store, task, next, workPage, said }) {
  if (!next) { location.assign(`${workPage}?said=${said}`); return; }
  rememberPlace(store, task, { said });
  location.assign(next);
}

// What a refused or lost call means, in words: the reasons named by the server first.
export function reason(say, prefix, answer) {
  const named = (answer.data?.errors ?? []).map((error) => error.message).join(" ");
  return say(`${prefix}-${answer.kind}`, { detail: named || answer.data?.detail || answer.data?.title || "" });
}

export function submitting({ api, url, store, task, say, onSent }) {
  const said = $("[data-submit-said]");
  let busy = false;
  return async function submit(payload) {
    if (busy) return;
    busy = true;
    tell(said, say("submitting"));
    const body = JSON.stringify({ payload });
    const key = submitKey(store, task.id, body, () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
    const answer = await api("POST", url("submit"), body, { "Idempotency-Key": key });
    busy = false;
    if (answer.ok) { store.remove(`epitome-submit:${task.id}`); onSent(answer.data); return; }
    tell(said, reason(say, "submit", answer));
  };
}

export function skipping({ api, url, say, onSkipped }) {
  const form = $("[data-skip-form]");
  const said = $("[data-skip-said]", form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $("[type=submit]", form);
    button.disabled = true;
    const data = new FormData(form);
    const answer = await api("POST", url("skip"), { reason: data.get("reason"), note: data.get("note") ?? "" });
    button.disabled = false;
    if (answer.ok) { onSkipped(answer.data); return; }
    tell(said, reason(say, "skip", answer));
  });
}

// Keeps the lease while the page is seen; onOver(answer) when the server says it ran out.
export function heartbeat({ api, url, onOver, every = 60000 }) {
  let last = Date.now();
  async function beat() {
    if (document.visibilityState !== "visible") return;
    last = Date.now();
    const answer = await api("POST", url("heartbeat"), {});
    if (answer.kind === "conflict" || answer.kind === "refused" || answer.kind === "stale") onOver(answer);
  }
  setInterval(beat, every);
  document.addEventListener("visibilitychange", () => { if (Date.now() - last > every) beat(); });
}
