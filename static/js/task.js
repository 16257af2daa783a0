// The annotator's task page: joins the source, the steps, the editor, autosave and the way out.
import { cookie, createApi, createStore } from "./api.js";
import { createAutosave, reconcile } from "./autosave.js";
import { choosing } from "./choosing.js";
import { conflictPane } from "./conflict.js";
import { $, $$, make, setIcon, tell } from "./dom.js";
import { editorPane } from "./editor.js";
import { onKey } from "./keys.js";
import { heartbeat, leave, rememberPlace, skipping, submitting, takePlace } from "./leaving.js";
import { saveState } from "./savestate.js";
import { spanMarking } from "./selecting.js";
import { sourcePane } from "./source.js";
import { both, complete } from "./steps.js";
import { makeSay } from "./words.js";
import { writing } from "./writing.js";

const root = document;
const main = $("[data-task]");
const task = JSON.parse($("#task-data").textContent);
const say = makeSay(JSON.parse($("#task-words").textContent), document.documentElement.lang || "en");
const store = createStore(() => localStorage);
const session = createStore(() => sessionStorage);
const csrf = () => cookie(document.cookie, main.dataset.csrfCookie) || ($("[name=csrfmiddlewaretoken]")?.value ?? "");
const api = createApi({ fetch: (...call) => fetch(...call), csrf });
const url = (name) => `${main.dataset.api}${name}/`;
const workPage = main.dataset.nextPage;
const { frozen } = task.group;
const place = takePlace(session, task);
const go = (next, said) => leave({ store: session, task, next, workPage, said });

// The next task of the same claim, from the answer to a choice (an assignment, whose unit lists all of them).
const nextOf = (answer) => {
  const open = (answer?.unit?.assignments ?? []).find((row) => row.state === "claimed" && row.id !== task.id);
  return open ? `/tasks/${open.id}/` : null;
};

function notice(text, { link = null, warn = true } = {}) {
  const box = $("[data-task-notice]");
  box.hidden = false;
  box.classList.toggle("warn", warn);
  setIcon($(".icon", box), warn ? "warn" : "check");
  $("[data-task-notice-said]", box).replaceChildren(make("p", {}, text, ...(link ? [" ", link] : [])));
}
const signInLink = () => make("a", { href: main.dataset.signIn, target: "_blank", rel: "noopener", textContent: say("sign-in") });

let page = null; // steps 2 to 4; absent where the task is only to choose
const pane = sourcePane({ root, segments: task.document.segments, say, onMarks: (indices) => page?.setMarks(indices) });
pane.offerChosen(Object.entries(task.group.chosen).flatMap(([key, texts]) =>
  (task.attributes.find((attribute) => attribute.key === key)?.kind === "speakers" ? texts : [])));

const step1 = frozen ? null : choosing({
  root, task, say, api, url, store,
  onChange(chosen) {
    for (const [key, texts] of Object.entries(chosen)) {
      const chip = $(`[data-chip="${CSS.escape(key)}"]`);
      chip?.classList.toggle("waiting", !texts.length);
      if (chip) $(".value", chip).textContent = texts.length ? texts.join(", ") : say("yours-to-pick");
    }
  },
  async onFrozen(answer) {
    if (task.kind === "choosing") { go(nextOf(answer), "chosen"); return; }
    await autosave?.now();
    rememberPlace(session, task, { focus: "summary", said: "frozen" });
    location.reload();
  },
  onGone() {
    rememberPlace(session, task);
    if (task.kind === "choosing") go(null, "chosen");
    else location.reload();
  },
});

// All meters, where the project shows them; a page without them is a page to write on all the same.
const measuring = task.assistance === "full" && frozen && task.kind !== "choosing"
  ? await import("./meters.js").catch(() => $$("[data-value]").forEach((place) => tell(place, say("meter-failed")))) : null;

let autosave = null;
if (task.kind !== "choosing") startWriting();

function startWriting() {
  const kept = `epitome-draft:${task.id}`;
  const found = reconcile(store.read(kept), { ...task.draft, payload: complete(task.draft.payload) });
  const showState = saveState({ say });
  let signedOut = false;
  const asked = task.attributes.filter((attribute) => attribute.filled_by === "annotator" && task.group.asks.includes(attribute.key));
  const wholeSource = frozen && !asked.some((attribute) => (task.group.chosen[attribute.key] ?? []).length);

  autosave = createAutosave({
    revision: found.revision,
    send: (body) => api("PUT", url("draft"), body),
    keep: { write: (copy) => store.write(kept, copy) },
    onState(state, details) {
      showState(state, details);
      if (state === "conflict") conflict.show(page.payload, complete(details.theirs), details.revision), page.openStep(2);
      if (state === "session") notice(say("save-session-more"), { link: signInLink() });
      if (state === "saved" && signedOut) $("[data-task-notice]").hidden = true;
      if (state === "session" || state === "saved") signedOut = state === "session";
    },
  });
  const meters = measuring?.meterPanel({ root, task, say, pane, api, url }) ?? null;
  const editor = editorPane({ root, task, say, meters, onInput: (text) => page.setSummary(text) });
  const conflict = conflictPane({
    root, say,
    onResolve(choice, theirs, revision) {
      const next = { mine: page.payload, theirs, both: both(page.payload, theirs) }[choice];
      page.payload = next;
      autosave.resolve(next, revision);
      editor.field.focus();
    },
  });
  const submit = submitting({
    api, url, store, task, say,
    onSent(answer) {
      autosave.stop();
      store.remove(kept);
      go(answer.next, "submitted");
    },
  });
  page = writing({
    root, task, say, pane, editor, payload: found.payload, frozen, wholeSource,
    onChange: (payload) => autosave.changed(payload),
    onStepOne: () => step1.ask(),
    async onReady(payload) {
      if (conflict.open) { tell($("[data-submit-said]"), say("conflict-first")); return; }
      await autosave.now();
      if (!conflict.open) await submit(payload);
    },
  });
  page.refresh();
  page.open();
  if (task.draft.revision) showState("saved", { at: task.draft.updated_at });
  if (found.theirs) {
    autosave.hold();
    showState("conflict");
    page.openStep(2);
    conflict.show(page.payload, complete(found.theirs), task.draft.revision);
  } else if (found.unsaved) {
    autosave.changed(found.payload);
  }

  spanMarking({ pane, segments: task.document.segments, onSpan: (span) => page.addSpan(span) });
  onKey("e", () => {
    if (!frozen || conflict.open) return false;
    $(".pane-switch input[value=work]").click();
    editor.field.focus();
    return true;
  });
  // What is typed reaches the server when the page is put away, and a person is asked only when it could not.
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") autosave.now(); });
  addEventListener("beforeunload", (event) => {
    if (autosave.unsaved && ["offline", "error", "conflict"].includes($("[data-save-state]").dataset.state)) event.preventDefault();
  });
}

skipping({
  api, url, say,
  onSkipped(answer) {
    autosave?.stop();
    go(answer?.next ?? null, "skipped");
  },
});
if (task.state === "claimed") heartbeat({ api, url, onOver: () => notice(say("lease-over")) });

if (place) {
  if (place.said) notice(say(`said-${place.said}`), { warn: false });
  if (place.focus === "summary") {
    $(".pane-switch input[value=work]").checked = true;
    main.dataset.pane = "work";
    $("#summary")?.focus({ preventScroll: true });
  }
  history.scrollRestoration = "manual";
  scrollTo({ top: place.scroll, behavior: "instant" });
}
main.dataset.ready = "yes";
