// The draft of a task: what earlier pages left in this browser, autosave, submit, and the warning before closing.
import { createAutosave, equal, gather } from "./autosave.js";
import { submitting } from "./leaving.js";
import { listen, whenOver } from "./life.js";
import { saveState } from "./savestate.js";
import { mustWarn } from "./task-state.js";

// What the page starts with: the server's draft, or text that closed pages left here. Answers {gathered, undecided};
// undecided: names of the copies to be kept until the server has what was decided on. complete(payload): with every field.
export function restoreCopies({ journal, openTabs, draft, complete }) {
  journal.tidy();
  const copies = journal.left(openTabs);
  const gathered = gather(copies, { ...draft, payload: complete(draft.payload) });
  const { payload, revision, aside, sent, unsaved, others } = gathered;
  // What this page goes on with becomes its own copy; the copies of the others stay until they are decided on.
  const stored = !(unsaved || aside.length) || journal.write({ payload, revision, unsaved: true, aside, sent });
  const isUndecided = (copy) => !stored || others.some((other) => equal(other, copy.payload));
  journal.drop(copies.filter((copy) => !isUndecided(copy)).map(({ name }) => name));
  return { gathered, undecided: copies.filter(isUndecided).map(({ name }) => name) };
}

// counts(): what goes along beside a payload. step(): the step somebody is in, or null where that is not recorded.
function saveDrafts({ api, url, machine, journal, restored, counts, step }) {
  const undecided = [...restored.undecided];
  return createAutosave({
    revision: restored.gathered.revision,
    aside: restored.gathered.aside,
    sent: restored.gathered.sent,
    send: (body) => api("PUT", url("draft"), { ...body, ...(step && { step: step() }), ...counts() }),
    keep: {
      write(copy) {
        if (!copy.unsaved) journal.drop(undecided.splice(0));
        return journal.write(copy);
      },
    },
    onState: (saving, details) => machine.send({ type: "save-state", saving, details }),
  });
}

// Joins the machine's effects on the draft to autosave, the journal and the submit queue.
// stops(): whether the person wants no next task after this one.
export function startSaving(parts) {
  const { api, url, store, task, say, person, machine, journal, restored, page, counts, step, stops } = parts;
  const autosave = saveDrafts({ api, url, machine, journal, restored, counts, step });
  const submit = submitting({
    api,
    url,
    store,
    task,
    say,
    person,
    // The revision that the text is based on: another page's text is not submitted over.
    counted: () => ({ ...counts(), revision: autosave.revision, ...(stops() && { stop: true }) }),
    onRefused: autosave.now,
    onSent: (answer) => machine.send({ type: "submitted", page: answer.page ?? null, to: answer.leave }),
  });
  machine.handle({
    showSaveState: saveState({ say }),
    saveDraft: autosave.changed,
    saveNow: autosave.now,
    holdDraft: autosave.hold,
    replaceDraft: autosave.resolve,
    stopSaving: autosave.stop,
    clearJournal: journal.clear,
    cancelSubmit: submit.cancel,
    submit: submit.add,
    async saveThenSubmit(payload) {
      await autosave.rest();
      machine.send({ type: "saved-before-submit", payload });
    },
  });
  page.refresh();
  page.open();
  machine.send({ type: "draft-restored", gathered: restored.gathered, draft: task.draft });
  submit.resume(page.payload);
  return { autosave, submit };
}

// What is typed reaches the server when the page is put away, and what waits does when one comes back to it.
export function saveOnWake({ autosave, submit, machine, pages }) {
  const wake = async () => {
    await autosave.now();
    submit.now();
  };
  whenOver(pages.letGo);
  listen(document, "visibilitychange", wake);
  listen(globalThis, "online", wake);
  listen(globalThis, "focus", wake);
  listen(globalThis, "pagehide", pages.letGo);
  listen(globalThis, "pageshow", (event) => {
    if (event.persisted) pages.hold();
  });
  listen(globalThis, "beforeunload", (event) => {
    const unsent = { submitWaiting: submit.waiting, unsaved: autosave.unsaved };
    if (mustWarn(machine.state, unsent)) event.preventDefault();
  });
}
