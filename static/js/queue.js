// Handing in when the server cannot be reached: the same text under the same key, again until there is an answer.
import { BROKEN, OFFLINE, SESSION, submitKey } from "./api.js";

const AGAIN = [5, 10, 20]; // seconds until the next try
const LATER = new Set([OFFLINE, BROKEN, SESSION]);

// send(body, key) -> an answer of api.js. onState(state, answer): "sending" "waiting" "sent" "refused".
export function createQueue({ send, store, name, random, onState, timers = globalThis }) {
  const place = `epitome-submit:${name}`;
  let waiting = null; // the body that is still to be handed in
  let busy = false;
  let failures = 0;
  let timer = null;

  async function fire() {
    timers.clearTimeout(timer);
    if (busy || waiting === null) return undefined;
    busy = true;
    const body = waiting;
    const key = submitKey(store, name, body, random);
    onState("sending");
    const answer = await send(body, key);
    busy = false;
    if (answer.ok) {
      waiting = null;
      store.remove(place);
      onState("sent", answer);
    } else if (LATER.has(answer.kind)) {
      if (waiting !== body) return fire();
      timer = timers.setTimeout(fire, AGAIN[Math.min(failures, AGAIN.length - 1)] * 1000);
      failures += 1;
      store.write(place, { key, body, waiting: true });
      onState("waiting", answer);
    } else {
      waiting = null;
      store.write(place, { key, body });
      onState("refused", answer);
    }
    return undefined;
  }

  return {
    add(body) {
      waiting = body;
      failures = 0;
      return fire();
    },
    // The text was changed: what was to be handed in is not what is meant any more. True when something waited.
    cancel() {
      if (waiting === null || busy) return false;
      waiting = null;
      timers.clearTimeout(timer);
      store.write(place, { ...store.read(place), waiting: false });
      return true;
    },
    // The body that an earlier page could not hand in.
    left() {
      const held = store.read(place);
      return held?.waiting ? held.body : null;
    },
    now: fire,
    get waiting() {
      return waiting !== null;
    },
  };
}
