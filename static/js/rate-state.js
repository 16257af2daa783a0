// The states of the page that rates one item, and what leads from one to the next. Nothing here touches the page or the
// server: what is to be done there is answered as effects (machine.js).
import { readTable } from "./machine.js";

export const CLOSED = "closed"; // the round is over: answers can be read, not changed
export const ANSWERING = "answering"; // answers are given and saved as a draft
export const SENDING = "sending"; // the finished answers are on their way
export const WAITING = "waiting"; // the finished answers could not be sent and will be again
export const CLAIMING = "claiming"; // stored; the next item is asked for
export const LEAVING = "leaving"; // the next page is on its way

// theirs: {payload, revision} of other answers to this item that a person is to decide on, or null.
export const initialState = (open) => ({ phase: open ? ANSWERING : CLOSED, theirs: null });

const go = (state, phase, ...effects) => ({ state: { ...state, phase }, effects });
const stay = (state, ...effects) => ({ state, effects });

// start: what autosave.reconcile() answered. revision: the server's. unsent: finished answers that an earlier page
// could not send, or null.
function restoreAnswers(state, { start, revision, unsent }) {
  const theirs = start.unsaved && start.theirs ? { payload: start.theirs, revision } : null;
  const effects = start.unsaved
    ? [
        ["fillAnswers", start.payload],
        ["say", "restored"],
      ]
    : [];
  if (theirs) effects.push(["showConflict"], ["holdDraft"]);
  else if (start.unsaved) effects.push(["saveDraft", start.payload]);
  if (unsent) effects.push(["submit", unsent]);
  return stay({ ...state, theirs }, ...effects);
}

// pristine: nothing was ever answered, so there is no draft to save.
const saveEdit = ({ payload, pristine }) => (pristine ? [] : [["saveDraft", payload]]);

// unanswered: places of the required questions without an answer.
function requestSubmit(state, { unanswered, body }) {
  if (unanswered.length) return stay(state, ["sayUnanswered", unanswered]);
  return state.phase === ANSWERING ? stay(state, ["submit", body]) : stay(state);
}

// sending, answer: a state of queue.js.
function followSubmit(state, { sending, answer }) {
  const mark = ["markSending", sending];
  if (sending === "sending") return go(state, SENDING, mark, ["say", "sending"]);
  if (sending === "waiting") return go(state, WAITING, mark, ["sayWaiting", answer.kind]);
  if (sending === "refused")
    return go(state, ANSWERING, mark, ["say", "refused", { detail: answer.data?.detail ?? "" }]);
  const { next, reason } = answer.data;
  const finish = [mark, ["stopSaving"], ["clearJournal"]];
  if (next) return go(state, LEAVING, ...finish, ["open", next.page]);
  if (reason && reason !== "busy") return go(state, LEAVING, ...finish, ["openHome", reason]);
  return go(state, CLAIMING, ...finish, ["claimNext"]);
}

function followClaim(state, { answer }) {
  if (answer.status === 204) return go(state, LEAVING, ["openHome", "all_yours"]);
  if (answer.ok) return go(state, LEAVING, ["open", answer.data.page]);
  return stay(state, ["sayWaiting", answer.kind], ["claimLater"]);
}

// saving, details: a state of autosave.js.
function followSaving(state, { saving, details }) {
  const show = ["showSaveState", saving, details];
  if (saving !== "conflict") return stay(state, show);
  const theirs = { payload: details.theirs, revision: details.revision };
  return stay({ ...state, theirs }, show, ["showConflict"]);
}

const OPEN = {
  edited: (state, edit) => stay(state, ...saveEdit(edit)),
  "submit-requested": requestSubmit,
  "submit-state": followSubmit,
  "save-state": followSaving,
  "keep-mine": (state, { payload }) =>
    stay({ ...state, theirs: null }, ["hideConflict"], ["replaceDraft", payload, state.theirs.revision]),
  "take-theirs": (state) => stay(state, ["clearJournal"], ["reload"]),
};

export const transition = readTable({
  [CLOSED]: {},
  [ANSWERING]: { ...OPEN, "answers-restored": restoreAnswers },
  [SENDING]: OPEN,
  [WAITING]: {
    ...OPEN,
    edited: (state, edit) => go(state, ANSWERING, ["cancelSubmit"], ["clearStatus"], ...saveEdit(edit)),
  },
  [CLAIMING]: { claimed: followClaim },
  [LEAVING]: {},
});

/* The place on the page: {current: the question that takes the next answer, unsure: the one that "u" ticks}. */

// A person went to this question: both keys are for it.
export const chooseQuestion = (place) => ({ current: place, unsure: place });

// A key answered the current question and the page goes to the next one; "u" stays with what was just answered.
export const leaveAnswered = ({ current }, unanswered) => ({
  current: nextUnanswered(unanswered, current) ?? current,
  unsure: current,
});

/* Questions: [{required, about}] with their answers as texts, "" where there is none. */

// Places of the required questions without an answer.
export const listUnanswered = (questions, answers) =>
  questions.flatMap(({ required }, place) => (required && !answers[place] ? [place] : []));

// Where to go after an answer: the next unanswered question, else the first one; null when all are answered.
export const nextUnanswered = (unanswered, current) =>
  unanswered.find((place) => place > current) ?? unanswered[0] ?? null;

// The side of a pair that was chosen, "a" or "b"; undefined before.
export const chosenSide = (questions, answers) =>
  answers.find((answer, place) => questions[place].about === "pair" && ["a", "b"].includes(answer));
