// What lives only as long as the task that is shown: listeners beyond its own elements, repeated work, shortcuts. When
// the next task takes its place all of it ends; what belongs to an element goes with the element.
let ending = new AbortController();

export const listen = (target, type, run, options = {}) =>
  target.addEventListener(type, run, { ...options, signal: ending.signal });

export const whenOver = (run) => ending.signal.addEventListener("abort", run, { once: true });

export function repeat(run, every, timers = globalThis) {
  const timer = timers.setInterval(run, every);
  whenOver(() => timers.clearInterval(timer));
}

export function endAll() {
  ending.abort();
  ending = new AbortController();
}
