// Copies of a draft in this browser until the server has it: one for each open page, so that no tab writes over the
// text of another, and bound to the person, so that nobody else who signs in here is shown it.

const PLACE = "epitome-draft:";
const OLD = 60 * 24 * 3600 * 1000; // what nobody came back for

export function createJournal({ store, person, task, tab, clock = Date.now }) {
  const room = `${PLACE}${person}:${task}:`;
  const own = room + tab;
  const copies = () =>
    store.names(room).map((name) => ({ name, tab: name.slice(room.length), copy: store.read(name) }));
  return {
    // {payload, revision, unsaved}; false when this browser keeps nothing. What the server has needs no copy.
    write(copy) {
      if (copy.unsaved) return store.write(own, { ...copy, at: clock() });
      store.remove(own);
      return true;
    },
    tabs: () =>
      copies()
        .filter(({ tab: whose, copy }) => copy?.unsaved && whose !== tab)
        .map(({ tab: whose }) => whose),
    // What closed or crashed pages left unsaved, newest first; an open page looks after its own.
    left(open = new Set()) {
      return copies()
        .filter(({ tab: whose, copy }) => copy?.unsaved && copy.payload && whose !== tab && !open.has(whose))
        .sort((a, b) => (b.copy.at ?? 0) - (a.copy.at ?? 0))
        .map(({ name, copy }) => ({ name, ...copy }));
    },
    drop: (names) => names.forEach((name) => store.remove(name)),
    clear: () => store.names(room).forEach((name) => store.remove(name)),
    tidy() {
      for (const name of store.names(PLACE)) if (clock() - (store.read(name)?.at ?? 0) > OLD) store.remove(name);
    },
  };
}

// A page holds a lock while it lives; the browser lets go of it when the page ends, however it ends.
export function openPages(tab, locks = globalThis.navigator?.locks) {
  let letGo = () => {};
  const hold = () =>
    locks
      ?.request(
        `epitome-page:${tab}`,
        () =>
          new Promise((done) => {
            letGo = done;
          }),
      )
      .catch(() => {});
  return {
    hold,
    letGo: () => letGo(),
    // Those of the tabs that are open. A page that has just ended may hold its lock for a moment, so we look a few
    // times.
    async open(tabs, { looks = 20, wait = (time) => new Promise((done) => setTimeout(done, time)) } = {}) {
      for (let left = looks; tabs.length; left -= 1) {
        const held = (await locks?.query().catch(() => null))?.held ?? [];
        const open = tabs.filter((one) => held.some(({ name }) => name === `epitome-page:${one}`));
        if (!open.length || left <= 1) return new Set(open);
        await wait(50);
      }
      return new Set();
    },
  };
}
