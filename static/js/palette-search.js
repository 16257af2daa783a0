// What the search dialog does, apart from the page: asks once typing rests, keeps only the newest answer, moves along
// the hits.

export const PAUSE = 160; // milliseconds that typing rests before the server is asked

// The hit after a key, as an index; -1 while there is none.
export function moveTo(key, at, count) {
  if (!count) return -1;
  const places = { ArrowDown: (at + 1) % count, ArrowUp: (at <= 0 ? count : at) - 1, Home: 0, End: count - 1 };
  return places[key] ?? at;
}

// All hits of the groups in one row, as they stand on the page.
export const listHits = (groups) => groups.flatMap((group) => group.hits);

// ask(text) -> {groups}; later(run, pause) -> a timer. onHits(groups, text) and onFailure() get the newest answer only.
export function createSearch({ ask, later, clear, onHits, onFailure }) {
  let timer = null;
  let newest = 0;

  async function run(text) {
    timer = null;
    const number = (newest += 1);
    try {
      const { groups } = await ask(text);
      if (number === newest) onHits(groups, text);
    } catch {
      if (number === newest) onFailure();
    }
  }

  return {
    now: (text) => run(text),
    typed(text) {
      if (timer !== null) clear(timer);
      newest += 1; // an answer on its way is to an older text
      timer = later(() => run(text), PAUSE);
    },
    stop() {
      if (timer !== null) clear(timer);
      timer = null;
      newest += 1;
    },
  };
}
