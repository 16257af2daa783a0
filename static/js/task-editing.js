// Steps 2 to 4 of the task page as one part: the editor, the choice between two versions, the marks. What a person does
// becomes an event of the task's state machine; what the machine wants shown is done by its handlers here.
import { watchField } from "./authorship.js";
import { conflictPane } from "./conflict.js";
import { $, tell } from "./dom.js";
import { editorPane } from "./editor.js";
import { onKey } from "./keys.js";
import { even } from "./pasted.js";
import { spanMarking } from "./selecting.js";
import { suggestionNotice } from "./suggestion.js";
import { writing } from "./writing.js";

// Nothing narrows the source where the annotator chooses nothing: all of it counts as relevant.
function countsWholeSource({ attributes, group }) {
  const requested = attributes.filter(({ key, filled_by }) => filled_by === "annotator" && group.asks.includes(key));
  return group.frozen && !requested.some(({ key }) => (group.chosen[key] ?? []).length);
}

// payload: what the page starts with. meters: the panel of meters.js, or null. review: the list of
// the last step. record: the authorship record, or null.
export function createEditing({ root, task, say, machine, pane, meters, record, review, payload, onStepOne }) {
  const { frozen } = task.group;
  const { segments } = task.document;
  const onInput = (text) => machine.send({ type: "typed", text });
  const editor = editorPane({ root, task, say, meters, review, onInput });
  const source = record && even(segments.map((segment) => segment.text).join(" "));
  const watched = record && watchField({ field: editor.field, source, pane: pane.list, record });
  // What the page itself puts in is not the writer's own typing.
  const retype = (text) => (watched ? watched.quietly(() => editor.retype(text)) : editor.retype(text));
  const { suggestion } = task;
  const markSuggested = suggestionNotice({ root, field: editor.field, suggestion, onClear: () => retype("") });
  const page = writing({
    root,
    task,
    say,
    pane,
    editor,
    payload,
    frozen,
    onStepOne,
    wholeSource: countsWholeSource(task),
    proposing: meters?.proposing ?? null,
    onChange: (changed) => {
      markSuggested(changed.summary);
      machine.send({ type: "edited", payload: changed });
    },
    onReady: (ready) => machine.send({ type: "submit-requested", payload: ready }),
  });
  const conflict = conflictPane({
    root,
    say,
    onChoose: (choice) => machine.send({ type: "version-chosen", choice, mine: page.payload }),
  });
  machine.handle({
    setMarks: page.setMarks,
    setSummary: page.setSummary,
    openStep: (step) => page.openStep(step),
    showConflict: (theirs) => conflict.show(page.payload, theirs),
    sayConflictFirst: () => tell($("[data-submit-said]"), say("conflict-first")),
    focusSummary: () => editor.field.focus(),
    showPayload(next) {
      retype(next.summary);
      page.payload = next;
      markSuggested(next.summary);
    },
  });
  markSuggested(payload.summary ?? "");
  spanMarking({ pane, segments, onSpan: (span) => page.addSpan(span) });
  return { page, editor };
}

// "e" leads to the summary from wherever one is.
export function focusSummaryOnKey({ machine, frozen, editor }) {
  onKey("e", () => {
    if (!frozen || machine.state.phase === "conflict") return false;
    $(".pane-switch input[value=work]").click();
    if ($("#step-4").open) $("#step-2 .step-head").click(); // which shows the text for reading only
    editor.field.focus();
    return true;
  });
}
