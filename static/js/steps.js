// The four steps of a task: what is done, what is still to do, what a change undoes.

export const EMPTY = {
  summary: "",
  title: "",
  relevant_segments: [],
  spans: [],
  confirmed_segments: false,
  reread: false,
};

export const STEPS = ["choose", "write", "mark", "review"];

// A payload with every field, whatever an older draft held.
export const complete = (payload) => ({ ...EMPTY, ...payload });

const written = (text) => text.trim().length > 0;
const marked = (payload) => payload.relevant_segments.length > 0 || payload.spans.length > 0;

// What is still to do, in the order of the steps, as ids of sentences. Empty: ready to submit.
export function missing(payload, frozen) {
  const left = [];
  if (!frozen) left.push("todo-choice");
  if (!written(payload.summary)) left.push("todo-summary");
  if (!marked(payload)) left.push("todo-mark");
  else if (!payload.confirmed_segments) left.push("todo-confirm");
  if (!payload.reread) left.push("todo-reread");
  if (!written(payload.title)) left.push("todo-title");
  return left;
}

// Steps 1 to 4: "done", "open" or "locked" (not yet possible). suggested: the text that the summary started from; as long
// as it is unchanged, step 2 is open.
export function stepStates(payload, frozen, suggested = "") {
  if (!frozen) return ["open", "locked", "locked", "locked"];
  return [
    "done",
    written(payload.summary) && payload.summary !== suggested ? "done" : "open",
    marked(payload) && payload.confirmed_segments ? "done" : "open",
    payload.reread && written(payload.title) ? "done" : "open",
  ];
}

// The step to open first: the earliest that is not done, else the last.
export function firstOpen(states) {
  const at = states.findIndex((state) => state !== "done");
  return at < 0 ? states.length : at + 1;
}

// A changed text has not been read again; changed marks have not been confirmed.
export const withSummary = (payload, summary) =>
  summary === payload.summary ? payload : { ...payload, summary, reread: false };
export const withMarks = (payload, relevant_segments, spans) => ({
  ...payload,
  relevant_segments,
  spans,
  confirmed_segments: false,
});

// Two drafts in one: both texts one below the other, the marks of the first.
export const both = (mine, theirs) => ({
  ...mine,
  summary: [mine.summary, theirs.summary].filter(written).join("\n\n"),
  title: mine.title || theirs.title,
  reread: false,
});
