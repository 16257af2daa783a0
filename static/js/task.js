// The annotator's task page: joins the source, the steps, the editor, autosave and the way out.
import { createActivity, watchActivity } from "./activity.js";
import { cookie, createApi, createStore } from "./api.js";
import { createRecord, watchField } from "./authorship.js";
import { createAutosave, equal, gather } from "./autosave.js";
import { choosing } from "./choosing.js";
import { conflictPane } from "./conflict.js";
import { $, $$, make, setIcon, tell } from "./dom.js";
import { editorPane } from "./editor.js";
import { onKey } from "./keys.js";
import { createJournal, openPages } from "./journal.js";
import { heartbeat, leave, rememberPlace, skipping, submitting, takePlace } from "./leaving.js";
import { saveState } from "./savestate.js";
import { spanMarking } from "./selecting.js";
import { even } from "./pasted.js";
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
const go = (next, said) => {
  activity?.stop();
  leave({ store: session, task, next, workPage, said });
};

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
const tab = Math.random().toString(36).slice(2);
const pages = openPages(tab);
// With consent: signs of work, and counts of how the text comes about.
const recorded = main.dataset.recorded === "yes";
const over = (answer) => { if (answer.status === 409 && task.state === "claimed") notice(say("lease-over")); };
const activity = recorded ? createActivity({
  beat: async (sign) => over(await api("POST", url("heartbeat"), sign)),
  step: () => (frozen ? page?.step ?? "write" : "choose"),
  visible: () => document.visibilityState === "visible",
}) : null;
const record = recorded ? createRecord({ page: tab }) : null;
const counted = () => (record ? { authorship: record.counts() } : {});
const journal = createJournal({ store, person: main.dataset.person, task: task.id, tab });
if (task.kind !== "choosing") startWriting(await pages.open(journal.tabs()));

function startWriting(openTabs) {
  pages.hold();
  journal.tidy();
  const copies = journal.left(openTabs);
  const found = gather(copies, { ...task.draft, payload: complete(task.draft.payload) });
  const waiting = found.others.map(complete); // texts of other pages that ended, to be decided on one by one
  // What this page goes on with is its own from here on; the copies of the others stay until they are decided on.
  const own = { payload: found.payload, revision: found.revision, unsaved: true, aside: found.aside };
  const taken = !(found.unsaved || found.aside.length) || journal.write(own);
  const undecided = copies.filter(({ payload }) => !taken || found.others.some((one) => equal(one, payload)));
  journal.drop(copies.filter((copy) => !undecided.includes(copy)).map(({ name }) => name));
  const showState = saveState({ say });
  let signedOut = false;
  const asked = task.attributes.filter((attribute) => attribute.filled_by === "annotator" && task.group.asks.includes(attribute.key));
  const wholeSource = frozen && !asked.some((attribute) => (task.group.chosen[attribute.key] ?? []).length);

  autosave = createAutosave({
    revision: found.revision,
    aside: found.aside,
    send: (body) => api("PUT", url("draft"), { ...body, ...(activity && { step: activity.step }), ...counted() }),
    keep: {
      write(copy) {
        if (!copy.unsaved) journal.drop(undecided.splice(0).map(({ name }) => name));
        return journal.write(copy);
      },
    },
    onState(state, details) {
      showState(state, details);
      if (state === "conflict") conflict.show(page.payload, complete(details.theirs), details.revision), page.openStep(2);
      if (state === "session") notice(say("save-session-more"), { link: signInLink() });
      if (state === "gone") notice(say("save-gone-more", { name: main.dataset.personName }), { link: signInLink() });
      if (state === "saved" && signedOut) $("[data-task-notice]").hidden = true;
      if (["session", "gone", "saved"].includes(state)) signedOut = state !== "saved";
    },
  });
  const meters = measuring?.meterPanel({ root, task, say, pane, api, url }) ?? null;
  const editor = editorPane({ root, task, say, meters, onInput: (text) => page.setSummary(text) });
  const source = record && even(task.document.segments.map((segment) => segment.text).join(" "));
  const watched = record && watchField({ field: editor.field, source, pane: pane.list, record });
  const conflict = conflictPane({
    root, say,
    onResolve(choice, theirs, revision) {
      const mine = page.payload;
      const next = { mine, theirs, both: both(mine, theirs) }[choice];
      const dropped = { mine: [theirs], theirs: [mine], both: [] }[choice];
      if (watched) watched.quietly(() => editor.retype(next.summary));
      else editor.retype(next.summary);
      page.payload = next;
      aside.push(...dropped);
      if (waiting.length) {
        autosave.changed(next);
        conflict.show(next, waiting.shift(), revision);
        return;
      }
      autosave.resolve(next, revision, aside.splice(0));
      editor.field.focus();
    },
  });
  const aside = [];
  const submit = submitting({
    api, url, store, task, say, person: main.dataset.person, counted,
    onSent(answer) {
      autosave.stop();
      journal.clear();
      go(answer.next, "submitted");
    },
  });
  page = writing({
    root, task, say, pane, editor, payload: found.payload, frozen, wholeSource, proposing: meters?.proposing ?? null,
    onChange(payload) {
      submit.cancel();
      autosave.changed(payload);
    },
    onStepOne: () => step1.ask(),
    async onReady(payload) {
      if (conflict.open) { tell($("[data-submit-said]"), say("conflict-first")); return; }
      await autosave.now();
      if (!conflict.open) await submit.add(payload);
    },
  });
  page.refresh();
  page.open();
  if (task.draft.revision) showState("saved", { at: task.draft.updated_at });
  if (found.theirs) waiting.unshift(complete(found.theirs));
  if (waiting.length) {
    autosave.hold();
    autosave.changed(found.payload);
    showState("conflict");
    page.openStep(2);
    conflict.show(page.payload, waiting.shift(), task.draft.revision);
  } else if (found.unsaved) {
    autosave.changed(found.payload);
    notice(say("said-restored"), { warn: false });
  } else autosave.now(); // what was decided against before may still be on its way
  submit.resume(page.payload);

  spanMarking({ pane, segments: task.document.segments, onSpan: (span) => page.addSpan(span) });
  onKey("e", () => {
    if (!frozen || conflict.open) return false;
    $(".pane-switch input[value=work]").click();
    editor.field.focus();
    return true;
  });
  // What is typed reaches the server when the page is put away, and what waits does when one comes back to it.
  const wake = async () => {
    await autosave.now();
    submit.now();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("focus", wake);
  addEventListener("pagehide", pages.letGo);
  addEventListener("pageshow", (event) => { if (event.persisted) pages.hold(); });
  // A person is asked only when it could not be saved.
  addEventListener("beforeunload", (event) => {
    if (submit.waiting || (autosave.unsaved && ["offline", "error", "conflict"].includes($("[data-save-state]").dataset.state))) event.preventDefault();
  });
}

if ($("[data-skip-form]")) skipping({
  api, url, say,
  onSkipped(answer) {
    autosave?.stop();
    go(answer?.next ?? null, "skipped");
  },
});
if (activity && ["claimed", "returned"].includes(task.state)) {
  watchActivity(activity);
  activity.start();
} else if (task.state === "claimed") heartbeat({ api, url, onOver: over });

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
