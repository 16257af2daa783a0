// Counts of how a summary comes about, for those who agreed to it: characters typed and deleted, the longest run of
// typing, the size and origin of pastes. Counts of this page only, and they only grow. No keystrokes, no texts.
import { change } from "./editor.js";
import { listen } from "./life.js";
import { originOf } from "./pasted.js";

export const PAUSE = 2000; // a longer one ends a run of typing
const AT_ONCE = 40; // so much put in by one event is a paste, however it came
const PASTES = 100;
const REMEMBERED = 20;
const points = (text) => [...text].length;

export function createRecord({ page, clock = Date.now }) {
  const counts = { page, typed: 0, deleted: 0, bursts: 0, longest_burst: 0, pastes: [] };
  let run = 0;
  let last = -Infinity;
  return {
    typed(n) {
      if (n <= 0) return;
      if (clock() - last > PAUSE) {
        run = 0;
        counts.bursts += 1;
      }
      last = clock();
      run += n;
      counts.typed += n;
      counts.longest_burst = Math.max(counts.longest_burst, run);
    },
    deleted(n) {
      counts.deleted += Math.max(0, n);
    },
    pasted(size, origin) {
      last = -Infinity;
      const room = counts.pastes.length < PASTES;
      const old = room ? null : (counts.pastes.findLast((paste) => paste.origin === origin) ?? counts.pastes.at(-1));
      if (old) old.size += size;
      else counts.pastes.push({ size, origin });
    },
    counts: () => ({ ...counts, pastes: counts.pastes.map((paste) => ({ ...paste })) }),
  };
}

const PASTE = /^insertFrom(?:Paste|Drop|Yank|PasteAsQuotation)/;

// What one change of the field means. before: {text, start, end} of the field and its selection; origin(text) says
// where a text came from.
export function countChange(record, { type, before, after, origin }) {
  if (type.startsWith("history")) return; // taken back or done again: counted when it was done
  if (PASTE.test(type)) {
    const size = after.length - (before.text.length - (before.end - before.start));
    recordPaste(record, after.slice(before.start, before.start + size), origin);
    record.deleted(points(before.text.slice(before.start, before.end)));
    return;
  }
  const [from, to, put] = change(before.text, after);
  const gone = points(before.text.slice(from, to));
  const came = points(put);
  if (type === "insertCompositionText") {
    record.typed(came - gone);
    return;
  } // letters on their way to others
  if (came >= AT_ONCE) recordPaste(record, put, origin);
  else record.typed(came);
  record.deleted(gone);
}

function recordPaste(record, text, origin) {
  const from = origin(text);
  if (from) record.pasted(points(text), from);
}

// Watches the field. own: what was cut or copied there, shared by the fields of one page. quietly(run): what the page
// itself puts in is nobody's typing.
export function watchField({ field, source, pane, record, own = [] }) {
  const taken = [];
  let before = null;
  let quiet = false;
  const keep = (list, text) => {
    if (text && list.push(text) > REMEMBERED) list.shift();
  };
  const remember = () => {
    before = { text: field.value, start: field.selectionStart, end: field.selectionEnd };
  };
  const origin = (text) => originOf(text, { source, own: [...own, before.text], taken });

  field.addEventListener("beforeinput", remember);
  field.addEventListener("input", (event) => {
    if (quiet || !before) return;
    const type = event.inputType ?? "";
    if (/^deleteBy(?:Cut|Drag)/.test(type)) keep(own, before.text.slice(before.start, before.end));
    countChange(record, { type, before, after: field.value, origin });
    before = null;
  });
  listen(document, "copy", (event) => {
    if (event.target === field) keep(own, field.value.slice(field.selectionStart, field.selectionEnd));
    else if (pane.contains(getSelection().anchorNode)) keep(taken, String(getSelection()));
  });
  return {
    quietly(run) {
      quiet = true;
      try {
        run();
      } finally {
        quiet = false;
        before = null;
      }
    },
  };
}
