// Keeps a draft on the server and, until that is certain, in the browser. It says "saved" only after the server did.
import { BROKEN, CONFLICT, OFFLINE, REFUSED, SESSION, STALE } from "./api.js";

export const PAUSE = 800;
export const MOST = 4000; // who types without a pause is saved all the same
const REFUSED_AGAIN = 30; // seconds; what one proxy refuses another may take
const LONGEST = 60; // seconds that a server may ask us to wait
const AGAIN = [5, 10, 20]; // seconds until the next try after a failure
const REMEMBERED = 3; // texts on their way

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value && typeof value === "object") {
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, sorted(value[key])]),
    );
  }
  return value;
};
export const equal = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

// What to start with: the server's draft, or a copy kept here that never reached it.
// Returns {payload, unsaved, theirs, revision}; `theirs` is set when both sides changed and a person must look.
// `revision` is what the payload is based on: in a conflict still the old one, so that a reload finds it again.
// `sent` are earlier states of the payload that a page sent without hearing an answer: the server's draft may be one.
export function reconcile(local, server) {
  if (!local?.unsaved || equal(local.payload, server.payload)) {
    return { payload: server.payload, unsaved: false, theirs: null, revision: server.revision, sent: [] };
  }
  const sent = local.sent ?? [];
  const arrived = sent.some((one) => equal(one, server.payload));
  const theirs = arrived || local.revision === server.revision ? null : server.payload;
  return { payload: local.payload, unsaved: true, theirs, revision: arrived ? server.revision : local.revision, sent };
}

// The same for the copies of several pages that ended (newest first): `others` are texts that differ from the first,
// `aside` those that a person decided against and the server does not keep yet.
export function gather(copies, server) {
  const useful = [];
  for (const copy of copies) {
    if (!copy.unsaved || equal(copy.payload, server.payload)) continue;
    if (!useful.some((one) => equal(one.payload, copy.payload))) useful.push(copy);
  }
  const aside = copies.flatMap((copy) => copy.aside ?? []);
  return { ...reconcile(useful[0] ?? null, server), others: useful.slice(1).map((copy) => copy.payload), aside };
}

// send({revision, payload}) -> an answer of api.js. keep.write({payload, revision, unsaved}) holds the local copy and
// is false where the browser holds none. onState(state, {kept, ...details}): "changed" "saving" "saved" "conflict"
// "offline" "error" "refused" "gone" (not this person's task) "session".
export function createAutosave({
  send,
  keep,
  onState: tell,
  revision,
  aside = [],
  sent = [],
  timers = globalThis,
  pause = PAUSE,
  most = MOST,
  clock = Date.now,
}) {
  let base = revision;
  let latest = null; // the payload that is not on the server yet
  let sending = null; // the promise of a call under way
  let puttingAside = null;
  let timer = null;
  let failures = 0;
  let held = false; // a conflict waits for a person
  let stopped = false; // handed in: nothing is a draft any more
  let since = null; // when the first change came that is not sent yet
  let kept = true; // whether there is a copy in this browser
  const onState = (state, details = {}) => tell(state, { kept, ...details });
  const hold = (payload) => {
    const more = { ...(aside.length && { aside }), ...(sent.length && { sent }) };
    kept = keep.write({ payload, revision: base, unsaved: true, ...more }) !== false;
  };

  function schedule(delay) {
    timers.clearTimeout(timer);
    timer = timers.setTimeout(fire, delay);
  }

  function taken(body, answer) {
    base = answer.data.revision;
    failures = 0;
    sent = [];
    if (latest !== body) return schedule(pause);
    latest = null;
    if (aside.length) hold(body);
    else keep.write({ payload: body, revision: base, unsaved: false });
    onState("saved", { at: answer.data.saved_at ?? null });
    return putAside();
  }

  // A write on an old revision changes nothing and is kept by the server: that is how a text is put aside.
  const putAside = () =>
    (puttingAside ??= sendAside().finally(() => {
      puttingAside = null;
    }));
  async function sendAside() {
    while (aside.length && base > 0) {
      const [payload] = aside;
      const answer = await send({ revision: base - 1, payload });
      if (answer.kind !== STALE && !answer.ok) {
        if (latest === null) schedule(REFUSED_AGAIN * 1000);
        return;
      }
      aside = aside.filter((one) => one !== payload);
    }
    if (latest === null && !aside.length) keep.write({ payload: null, revision: base, unsaved: false });
  }

  function failed(answer) {
    if (answer.kind === REFUSED || answer.kind === CONFLICT) {
      onState(answer.status === 404 ? "gone" : "refused", { detail: answer.data?.detail ?? "" });
      schedule(REFUSED_AGAIN * 1000);
      return;
    }
    const seconds = Math.max(AGAIN[Math.min(failures, AGAIN.length - 1)], Math.min(answer.after ?? 0, LONGEST));
    failures += 1;
    onState({ [OFFLINE]: "offline", [SESSION]: "session", [BROKEN]: "error" }[answer.kind] ?? "error", { seconds });
    schedule(seconds * 1000);
  }

  // What came between is an earlier state of this text, whose answer was lost or whose page ended too soon to hear it.
  function writeOver(answer) {
    base = answer.data.revision;
    sent = [];
    schedule(0);
  }

  async function push(body) {
    since = null;
    sent = [body, ...sent.filter((one) => !equal(one, body))].slice(0, REMEMBERED);
    hold(latest);
    onState("saving", {});
    const answer = await send({ revision: base, payload: body });
    sending = null;
    if (answer.ok && Number.isInteger(answer.data?.revision)) return taken(body, answer);
    if (answer.kind === STALE) {
      // An answer that got lost on the way: the server already holds exactly this text.
      if (equal(answer.data.theirs, body)) return taken(body, answer);
      if (sent.some((one) => equal(one, answer.data.theirs))) return writeOver(answer);
      held = true;
      return onState("conflict", { theirs: answer.data.theirs, revision: answer.data.revision });
    }
    return failed(answer.ok ? { kind: BROKEN } : answer);
  }

  function fire() {
    timers.clearTimeout(timer);
    if (held || (latest === null && !aside.length)) return Promise.resolve();
    sending ??=
      latest === null
        ? putAside().finally(() => {
            sending = null;
          })
        : push(latest);
    return sending;
  }

  return {
    changed(payload) {
      if (stopped) return;
      latest = payload;
      hold(payload);
      if (held) return;
      onState("changed", {});
      since ??= clock();
      schedule(Math.max(0, Math.min(pause, since + most - clock())));
    },
    now: fire,
    // Waits for a call under way, and starts no other by itself: what is to be submitted is not saved before.
    async rest() {
      timers.clearTimeout(timer);
      await sending;
    },
    // A person chose what to go on with; it is written over the revision that was in the way, `others` are put aside.
    resolve(payload, theirRevision, others = []) {
      base = theirRevision;
      aside = [...aside, ...others];
      held = false;
      failures = 0;
      latest = payload;
      hold(payload);
      return fire();
    },
    // A conflict that was there before the first save (the local copy against the server's draft).
    hold() {
      held = true;
    },
    stop() {
      stopped = held = true;
      latest = null;
      aside = [];
      timers.clearTimeout(timer);
    },
    get unsaved() {
      return latest !== null;
    },
    get revision() {
      return base;
    },
  };
}
