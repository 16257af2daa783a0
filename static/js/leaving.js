// The ends of a task: submit, skip, and the way to the next one at the same place of the same source.
import { STALE } from "./api.js";
import { equal } from "./autosave.js";
import { $, $$, tell } from "./dom.js";
import { listen, repeat } from "./life.js";
import { createQueue } from "./queue.js";

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
  if (!next) {
    location.assign(`${workPage}?said=${said}`);
    return;
  }
  rememberPlace(store, task, { said });
  location.assign(next);
}

// What a refused or lost call means, in words: the reasons named by the server first.
export function reason(say, prefix, answer) {
  const named = (answer.data?.errors ?? []).map((error) => error.message).join(" ");
  return say(`${prefix}-${answer.kind}`, { detail: named || answer.data?.detail || answer.data?.title || "" });
}

// counted(): what goes along beside the payload, the counts of the authorship record.
export function submitting({ api, url, store, task, person, say, onSent, onRefused, counted = () => ({}) }) {
  const said = $("[data-submit-said]");
  const queue = createQueue({
    store,
    name: `${person}:${task.id}`,
    random: () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
    send: (body, key) => api("POST", url("submit"), body, { "Idempotency-Key": key }),
    onState(state, answer) {
      // What is typed while the text is on its way would be lost with the page.
      for (const field of $$("#summary, #title, [data-answer]"))
        field.readOnly = state === "sending" || state === "sent";
      if (state === "sent") onSent(answer.data);
      else if (answer?.kind !== STALE)
        tell(said, state === "sending" ? say("submitting") : reason(say, "submit", answer));
      else tell(said, ""); // saving the draft shows both versions
      if (state === "refused" || state === "waiting") onRefused();
    },
  });
  return {
    add: (payload) => queue.add(JSON.stringify({ payload, ...counted() })),
    // The text changed while it waited: it is handed in again by the person, not by itself.
    cancel() {
      if (queue.cancel()) tell(said, say("submit-changed"));
    },
    // What an earlier page could not hand in, when nothing was changed since.
    resume(payload) {
      const left = queue.left();
      if (left && equal(JSON.parse(left).payload, payload)) queue.add(left);
    },
    now: () => queue.now(),
    get waiting() {
      return queue.waiting;
    },
  };
}

export function skipping({ api, url, say, onSkipped }) {
  const form = $("[data-skip-form]");
  const said = $("[data-skip-said]", form);
  form.reset();
  listen(form, "submit", async (event) => {
    event.preventDefault();
    const button = $("[type=submit]", form);
    button.disabled = true;
    const data = new FormData(form);
    const answer = await api("POST", url("skip"), { reason: data.get("reason"), note: data.get("note") ?? "" });
    button.disabled = false;
    if (answer.ok) {
      onSkipped(answer.data);
      return;
    }
    tell(said, reason(say, "skip", answer));
  });
}

// Keeps the lease while the page is seen, where no signs of work are kept (activity.js does both at once);
// onOver(answer)
// when the server says it ran out.
export function heartbeat({ api, url, onOver, every = 60000 }) {
  let last = Date.now();
  async function beat() {
    if (document.visibilityState !== "visible") return;
    last = Date.now();
    const answer = await api("POST", url("heartbeat"), {});
    if (answer.status === 409) onOver(answer);
  }
  repeat(beat, every);
  listen(document, "visibilitychange", () => {
    if (Date.now() - last > every) beat();
  });
}
