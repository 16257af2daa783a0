// Runs the newest of many wishes once the hands rest and the browser has nothing better to do.
export function later(run, { pause = 150, timers = globalThis } = {}) {
  const idle = timers.requestIdleCallback
    ? (call) => timers.requestIdleCallback(call, { timeout: pause })
    : (call) => call();
  let timer = null;
  let newest = null;
  return (...values) => {
    newest = values;
    timers.clearTimeout(timer);
    timer = timers.setTimeout(
      () =>
        idle(() => {
          const mine = newest;
          newest = null;
          if (mine) run(...mine);
        }),
      pause,
    );
  };
}
