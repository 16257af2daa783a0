// Signs of work: the page says in which step somebody is, and whether anybody touched it since the last sign. The
// server counts the time between them; the clock here only decides when to say something.
import { listen } from "./life.js";

const EVERY = 60000;
const IDLE = 60000; // without a touch for so long, nobody is there
const BETWEEN = 5000; // steps that are opened one after the other are one sign

// beat({step, active}) tells the server; step() is where the writer is now.
export function createActivity({ beat, step, visible = () => true, timers = globalThis, clock = Date.now }) {
  let touched = clock();
  let said = clock();
  let current = step();
  let timer = null;
  let stopped = false;

  function tell(active) {
    timers.clearTimeout(timer);
    if (stopped) return undefined;
    timer = timers.setTimeout(() => tick(), EVERY);
    said = clock();
    return beat({ step: current, active });
  }
  const attended = () => clock() - touched < IDLE;
  function tick() {
    if (visible()) tell(attended());
    else timer = timers.setTimeout(() => tick(), EVERY);
  }
  return {
    start() {
      current = step();
      return tell(false);
    },
    touch() {
      touched = clock();
    },
    // The time up to now belongs to the step that was open.
    moved() {
      const next = step();
      if (next === current) return;
      if (clock() - said >= BETWEEN) tell(attended());
      current = next;
    },
    left() {
      return tell(attended());
    },
    back() {
      touched = clock();
      return this.start();
    },
    get step() {
      return current;
    },
    stop() {
      stopped = true;
      timers.clearTimeout(timer);
    },
  };
}

// Joins it to the page. Any touch counts: reading is scrolling and moving, writing is typing.
export function watchActivity(activity) {
  for (const name of ["keydown", "pointermove", "pointerdown", "wheel", "scroll", "touchmove"]) {
    listen(globalThis, name, () => activity.touch(), { passive: true, capture: true });
  }
  for (const name of ["focusin", "toggle", "input"]) {
    listen(globalThis, name, () => activity.moved(), { capture: true });
  }
  listen(document, "visibilitychange", () =>
    document.visibilityState === "visible" ? activity.back() : activity.left(),
  );
}
