// Keeps a draft on the server and, until that is certain, in the browser. It says "saved" only after the server did.
import { BROKEN, CONFLICT, OFFLINE, REFUSED, SESSION, STALE } from "./api.js";

export const PAUSE = 800;
const AGAIN = [5, 10, 20]; // seconds until the next try after a failure

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  }
  return value;
};
export const equal = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

// What to start with: the server's draft, or a copy kept here that never reached it.
// Returns {payload, unsaved, theirs, revision}; `theirs` is set when both sides changed and a person must look.
// `revision` is what the payload is based on: in a conflict still the old one, so that a reload finds it again.
export function reconcile(local, server) {
  if (!local?.unsaved || equal(local.payload, server.payload)) {
    return { payload: server.payload, unsaved: false, theirs: null, revision: server.revision };
  }
  const theirs = local.revision === server.revision ? null : server.payload;
  return { payload: local.payload, unsaved: true, theirs, revision: local.revision };
}

// send({revision, payload}) -> an answer of api.js. keep.write({payload, revision, unsaved}) holds the local copy.
// onState(state, details): "changed" "saving" "saved" "conflict" "offline" "error" "refused" "session".
export function createAutosave({ send, keep, onState, revision, timers = globalThis, pause = PAUSE }) {
  let base = revision;
  let latest = null; // the payload that is not on the server yet
  let sending = null; // the promise of a call under way
  let timer = null;
  let failures = 0;
  let held = false; // a conflict waits for a person
  let stopped = false; // handed in: nothing is a draft any more

  function schedule(delay) {
    timers.clearTimeout(timer);
    timer = timers.setTimeout(fire, delay);
  }

  function taken(body, answer) {
    base = answer.data.revision;
    failures = 0;
    if (latest !== body) return schedule(pause);
    latest = null;
    keep.write({ payload: body, revision: base, unsaved: false });
    return onState("saved", { at: answer.data.saved_at ?? null });
  }

  function failed(answer) {
    if (answer.kind === REFUSED || answer.kind === CONFLICT) {
      onState("refused", { detail: answer.data?.detail ?? "" });
      return;
    }
    const seconds = AGAIN[Math.min(failures, AGAIN.length - 1)];
    failures += 1;
    onState({ [OFFLINE]: "offline", [SESSION]: "session", [BROKEN]: "error" }[answer.kind] ?? "error", { seconds });
    schedule(seconds * 1000);
  }

  async function push(body) {
    onState("saving", {});
    const answer = await send({ revision: base, payload: body });
    sending = null;
    if (answer.ok && Number.isInteger(answer.data?.revision)) return taken(body, answer);
    if (answer.kind === STALE) {
      // An answer that got lost on the way: the server already holds exactly this text.
      if (equal(answer.data.theirs, body)) return taken(body, answer);
      held = true;
      return onState("conflict", { theirs: answer.data.theirs, revision: answer.data.revision });
    }
    return failed(answer.ok ? { kind: BROKEN } : answer);
  }

  function fire() {
    timers.clearTimeout(timer);
    if (held || latest === null) return Promise.resolve();
    sending ??= push(latest);
    return sending;
  }

  return {
    changed(payload) {
      if (stopped) return;
      latest = payload;
      keep.write({ payload, revision: base, unsaved: true });
      if (held) return;
      onState("changed", {});
      schedule(pause);
    },
    now: fire,
    // A person chose what to go on with; it is written over the revision that was in the way.
    resolve(payload, theirRevision) {
      base = theirRevision;
      held = false;
      failures = 0;
      latest = payload;
      keep.write({ payload, revision: base, unsaved: true });
      return fire();
    },
    // A conflict that was there before the first save (the local copy against the server's draft).
    hold() { held = true; },
    stop() { stopped = held = true; latest = null; timers.clearTimeout(timer); },
    get unsaved() { return latest !== null; },
    get revision() { return base; },
  };
}
