// Asks the server for what the browser cannot measure: after a pause in the writing, one question at a time, the newest
// text alone. Nothing here can stop the writing: a failed question is said, and the next change asks again.
import { BROKEN, OFFLINE } from "./api.js";

export const PAUSE = 1500;
const LOOKS = [300, 500, 800, 1200]; // milliseconds before each look at the answer; the last one repeats
const LIMIT = 30000;
const KEPT = 20; // answers held for texts one comes back to

// onState(state, values): "empty" (nothing written), "waiting" (the text changed), "counting" (asked), "done" with
// values {measure: {value: number or null, undefined: why}}, "failed".
export function createRemote({ api, url, onState, timers = globalThis }) {
  const known = new Map();
  let current = null;
  let turn = 0; // our own count of the texts; the server tells it back
  let timer = null;
  const sleep = (time) =>
    new Promise((done) => {
      timer = timers.setTimeout(done, time);
    });

  function keep(text, values) {
    known.set(text, values);
    if (known.size > KEPT) known.delete(known.keys().next().value);
  }

  // The values; null when there will be none; undefined when the text has changed meanwhile.
  async function answerFor(text, mine) {
    const asked = await api("POST", url("meters"), { summary: text, revision: mine });
    if (mine !== turn) return undefined;
    if (!asked.ok || !asked.data?.id) return null;
    let waited = 0;
    for (let i = 0; waited < LIMIT; i += 1) {
      const time = LOOKS[Math.min(i, LOOKS.length - 1)];
      waited += time;
      await sleep(time);
      if (mine !== turn) return undefined;
      const look = await api("GET", `${url("meters")}${asked.data.id}/`);
      if (mine !== turn) return undefined;
      if (!look.ok && look.kind !== OFFLINE && look.kind !== BROKEN) return null;
      if (!look.ok || look.data?.state === "pending") continue;
      return look.data?.state === "done" && look.data.revision === mine ? (look.data.values ?? null) : null;
    }
    return null;
  }

  async function ask(text, mine) {
    onState("counting");
    const values = await answerFor(text, mine);
    if (values === undefined) return;
    if (values) keep(text, values);
    onState(values ? "done" : "failed", values ?? {});
  }

  return {
    changed(text) {
      if (text === current) return;
      current = text;
      turn += 1;
      timers.clearTimeout(timer);
      if (!text.trim()) onState("empty");
      else if (known.has(text)) onState("done", known.get(text));
      else {
        const mine = turn;
        onState("waiting");
        timer = timers.setTimeout(() => ask(text, mine), PAUSE);
      }
    },
  };
}
