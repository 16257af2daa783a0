// Runs a state machine. transition(state, event) is pure and answers {state, effects}; an effect is [name, ...values].
// An event that is sent by an effect is handled at once, before the next effect of the event that led to it.

export function createMachine({ state: initial, transition }) {
  let state = initial;
  const handlers = {};

  return {
    get state() {
      return state;
    },
    // What the effects do on the page, by name; a later handler of a name replaces the earlier one.
    handle: (more) => {
      Object.assign(handlers, more);
    },
    send(event) {
      const next = transition(state, event);
      state = next.state;
      for (const [name, ...values] of next.effects) {
        if (!handlers[name]) throw new Error(`no handler for the effect "${name}" of "${event.type}"`);
        handlers[name](...values);
      }
    },
  };
}

// The transition function of a table {phase: {type of event: (state, event) -> {state, effects}}}. An event that the
// table does not name changes nothing.
export const readTable = (table) => (state, event) =>
  table[state.phase][event.type]?.(state, event) ?? { state, effects: [] };
