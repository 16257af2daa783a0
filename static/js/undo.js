// Taking back what was marked: the states before, newest last. Texts have the browser's own undo.

export function createUndo({ most = 50 } = {}) {
  const past = [];
  return {
    keep(state) {
      past.push(state);
      if (past.length > most) past.shift();
    },
    // The state before the last change, or null.
    back: () => past.pop() ?? null,
    clear() {
      past.length = 0;
    },
  };
}
