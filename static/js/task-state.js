// The states of the task page and what leads from one to the next. Nothing here touches the page or the server: what is
// to be done there is answered as effects (machine.js).
import { readTable } from "./machine.js";
import * as summary from "./steps.js";

export const CHOOSING = "choosing"; // the task is only to choose: there is no draft
export const WRITING = "writing"; // the draft is edited and saved
export const CONFLICT = "conflict"; // two versions of the draft differ; a person chooses
export const LEAVING = "leaving"; // the next page is on its way

const UNSAVED = new Set(["offline", "error", "conflict", "session", "refused", "gone"]);

// conflict: {theirs, revision} of the version to choose against. undecided: versions of other pages to choose against
// next. rejected: versions decided against, which the server is to keep. saving: the last state of autosave.js.
export const initialState = (kind) => ({
  phase: kind === "choosing" ? CHOOSING : WRITING,
  conflict: null,
  undecided: [],
  rejected: [],
  saving: "saved",
  signedOut: false,
});

const leave = (state, effects) => ({ state: { ...state, phase: LEAVING }, effects });
const stay = (state, ...effects) => ({ state, effects });

const EXITS = {
  // page: the parts of the next task's page; to: where to go without one
  submitted: (state, { page, to }) =>
    leave(state, [["stopSaving"], ["clearJournal"], page ? ["showNext", page] : ["goTo", to]]),
  skipped: (state, { next }) => leave(state, [["stopSaving"], ["leave", next, "skipped"]]),
};
const CHOICE_WHILE_WRITING = {
  "choice-locked": (state) => stay(state, ["reloadAfterSaving", { focus: "summary", said: "frozen" }]),
  "choice-locked-by-other": (state) => stay(state, ["reload"]),
};

// The transition function of the pages of one kind. complete(payload): with every field; both(mine, theirs): in one.
export function makeTransition({ complete, both }) {
  // gathered: what autosave.gather() answered. draft: the server's.
  function restoreDraft(state, { gathered, draft }) {
    const undecided = [gathered.theirs, ...gathered.others].filter(Boolean).map(complete);
    const stored = draft.revision ? [["showSaveState", "saved", { at: draft.updated_at }]] : [];
    if (undecided.length) {
      const [theirs, ...others] = undecided;
      const next = {
        phase: CONFLICT,
        conflict: { theirs, revision: draft.revision },
        undecided: others,
        saving: "conflict",
      };
      const effects = [["holdDraft"], ["saveDraft", gathered.payload], ["showSaveState", "conflict"], ["openStep", 2]];
      return stay({ ...state, ...next }, ...stored, ...effects, ["showConflict", theirs]);
    }
    if (!gathered.unsaved) return stay(state, ...stored, ["saveNow"]); // rejected versions may still wait for the server
    return stay(state, ...stored, ["saveDraft", gathered.payload], ["notify", "said-restored", { warn: false }]);
  }

  // saving, details: a state of autosave.js.
  function followSaving(state, { saving, details }) {
    const effects = [["showSaveState", saving, details]];
    const next = { ...state, saving };
    if (saving === "conflict") {
      next.phase = CONFLICT;
      next.conflict = { theirs: complete(details.theirs), revision: details.revision };
      effects.push(["showConflict", next.conflict.theirs], ["openStep", 2]);
    } else if (saving === "session" || saving === "gone") {
      next.signedOut = true;
      effects.push(["notify", `save-${saving}-more`, { signIn: true }]);
    } else if (saving === "saved") {
      next.signedOut = false;
      if (state.signedOut) effects.push(["hideNotice"]);
    }
    return stay(next, ...effects);
  }

  // choice: "mine", "theirs" or "both"; mine: the payload on the page.
  function chooseVersion(state, { choice, mine }) {
    const { theirs, revision } = state.conflict;
    const payload = { mine, theirs, both: both(mine, theirs) }[choice];
    const rejected = [...state.rejected, ...{ mine: [theirs], theirs: [mine], both: [] }[choice]];
    const [next, ...undecided] = state.undecided;
    if (next) {
      const conflict = { theirs: next, revision };
      const effects = [
        ["showPayload", payload],
        ["saveDraft", payload],
        ["showConflict", next],
      ];
      return stay({ ...state, conflict, undecided, rejected }, ...effects);
    }
    const effects = [["showPayload", payload], ["replaceDraft", payload, revision, rejected], ["focusSummary"]];
    return stay({ ...state, phase: WRITING, conflict: null, rejected: [] }, ...effects);
  }

  const EDITS = {
    marked: (state, { indices }) => stay(state, ["setMarks", indices]),
    typed: (state, { text }) => stay(state, ["setSummary", text]),
    edited: (state, { payload }) => stay(state, ["cancelSubmit"], ["saveDraft", payload]),
    "save-state": followSaving,
  };

  return readTable({
    [CHOOSING]: {
      ...EXITS,
      "choice-locked": (state, { next }) => leave(state, [["leave", next, "chosen"]]),
      "choice-locked-by-other": (state) => leave(state, [["leave", null, "chosen"]]),
    },
    [WRITING]: {
      ...EDITS,
      ...EXITS,
      ...CHOICE_WHILE_WRITING,
      "draft-restored": restoreDraft,
      "submit-requested": (state, { payload }) => stay(state, ["saveThenSubmit", payload]),
      "saved-before-submit": (state, { payload }) => stay(state, ["submit", payload]),
    },
    [CONFLICT]: {
      ...EDITS,
      ...EXITS,
      ...CHOICE_WHILE_WRITING,
      "version-chosen": chooseVersion,
      "submit-requested": (state) => stay(state, ["sayConflictFirst"]),
    },
    [LEAVING]: {},
  });
}

// Of a summary.
export const transition = makeTransition({ complete: summary.complete, both: summary.both });

// Whether closing the page could lose something, so that the browser is to ask.
export const mustWarn = (state, { submitWaiting, unsaved }) => submitWaiting || (unsaved && UNSAVED.has(state.saving));

// The page of the next open task of the same claim, after a choice: its answer is an assignment that lists all of them.
export function nextTaskPage(task, answer) {
  const next = (answer?.unit?.assignments ?? []).find((row) => row.state === "claimed" && row.id !== task.id);
  return next ? task.page.replace(task.id, next.id) : null;
}
