// The annotator's task page: reads what the server sent and joins its parts by one state machine (task-state.js).
import { createActivity, watchActivity } from "./activity.js";
import { cookie, createApi, createStore } from "./api.js";
import { createRecord } from "./authorship.js";
import { choosing } from "./choosing.js";
import { $, $$, tell } from "./dom.js";
import { createJournal, openPages } from "./journal.js";
import { heartbeat, leave, rememberPlace, skipping, takePlace } from "./leaving.js";
import { createMachine } from "./machine.js";
import { sourcePane } from "./source.js";
import { restoreCopies, saveOnWake, startSaving } from "./task-draft.js";
import { createEditing, focusSummaryOnKey } from "./task-editing.js";
import { createNotice } from "./task-notice.js";
import { initialState, nextTaskPage, transition } from "./task-state.js";
import { makeSay } from "./words.js";

const root = document;
const main = $("[data-task]");
const task = JSON.parse($("#task-data").textContent);
const urls = JSON.parse($("#task-urls").textContent);
const say = makeSay(JSON.parse($("#task-words").textContent), document.documentElement.lang || "en");
const store = createStore(() => localStorage);
const session = createStore(() => sessionStorage);
const csrf = () => cookie(document.cookie, main.dataset.csrfCookie) || ($("[name=csrfmiddlewaretoken]")?.value ?? "");
const api = createApi({ fetch: (...call) => fetch(...call), csrf });
const url = (name) => urls[name];
const { person, personName } = main.dataset;
const { frozen } = task.group;
const isClaimed = task.state === "claimed";
// with consent: signs of work, and counts of how the text comes about
const isRecorded = main.dataset.recorded === "yes";

const place = takePlace(session, task);
const notice = createNotice({ root, say, signInPage: main.dataset.signIn });
const machine = createMachine({ state: initialState(task.kind), transition });
const reload = (more = {}) => {
  rememberPlace(session, task, more);
  location.reload();
};
const goTo = (next, said) => leave({ store: session, task, next, workPage: main.dataset.nextPage, said });
machine.handle({
  notify: (id, how) => notice.show(say(id, { name: personName }), how),
  hideNotice: notice.hide,
  leave: goTo,
  reload,
  // Until there is a draft, and on a page without one:
  reloadAfterSaving: reload,
  setMarks() {},
  stopSaving() {},
});

const pane = sourcePane({
  root,
  segments: task.document.segments,
  say,
  onMarks: (indices) => machine.send({ type: "marked", indices }),
});
pane.offerChosen(listChosenSpeakers());
const step1 = frozen ? null : startChoosing();
const measuring = await loadMeters();

const tab = Math.random().toString(36).slice(2);
const pages = openPages(tab);
const record = isRecorded ? createRecord({ page: tab }) : null;
const journal = createJournal({ store, person, task: task.id, tab });
const draft = task.kind === "choosing" ? null : openDraft(await pages.open(journal.tabs()));
const activity = isRecorded ? recordActivity() : null;
if (draft) saveDraft();
if (activity) {
  machine.handle({
    leave(next, said) {
      activity.stop();
      goTo(next, said);
    },
  });
}
if ($("[data-skip-form]")) {
  skipping({ api, url, say, onSkipped: (answer) => machine.send({ type: "skipped", next: answer?.next ?? null }) });
}
keepLease();
if (place) returnTo(place);
main.dataset.ready = "yes";

function listChosenSpeakers() {
  const isSpeakers = (key) => task.attributes.find((attribute) => attribute.key === key)?.kind === "speakers";
  return Object.entries(task.group.chosen).flatMap(([key, texts]) => (isSpeakers(key) ? texts : []));
}

function startChoosing() {
  return choosing({
    root,
    task,
    say,
    api,
    url,
    store,
    onChange: showChosen,
    onFrozen: (answer) => machine.send({ type: "choice-locked", next: nextTaskPage(task, answer) }),
    onGone: () => machine.send({ type: "choice-locked-by-other" }),
  });
}

function showChosen(chosen) {
  for (const [key, texts] of Object.entries(chosen)) {
    const chip = $(`[data-chip="${CSS.escape(key)}"]`);
    chip?.classList.toggle("waiting", !texts.length);
    if (chip) $(".value", chip).textContent = texts.length ? texts.join(", ") : say("yours-to-pick");
  }
}

// All meters, where the project shows them; a page without them is a page to write on all the same.
async function loadMeters() {
  if (task.assistance !== "full" || !frozen || task.kind === "choosing") return null;
  try {
    return await import("./meters.js");
  } catch {
    for (const value of $$("[data-value]")) tell(value, say("meter-failed"));
    return null;
  }
}

function openDraft(openTabs) {
  pages.hold();
  const restored = restoreCopies({ journal, openTabs, draft: task.draft });
  const meters = measuring?.meterPanel({ root, task, say, pane, api, url }) ?? null;
  const { payload } = restored.gathered;
  const onStepOne = () => step1.ask();
  return { restored, ...createEditing({ root, task, say, machine, pane, meters, record, payload, onStepOne }) };
}

function saveDraft() {
  const { restored, page, editor } = draft;
  const counts = () => (record ? { authorship: record.counts() } : {});
  const step = activity && (() => activity.step);
  const parts = { api, url, store, task, say, person, machine, journal, restored, page, counts, step };
  const { autosave, submit } = startSaving(parts);
  focusSummaryOnKey({ machine, frozen, editor });
  saveOnWake({ autosave, submit, machine, pages });
  machine.handle({
    async reloadAfterSaving(more) {
      await autosave.now();
      reload(more);
    },
  });
}

function recordActivity() {
  return createActivity({
    beat: async (sign) => sayWhenLeaseIsOver(await api("POST", url("heartbeat"), sign)),
    step: () => (frozen ? (draft?.page.step ?? "write") : "choose"),
    visible: () => document.visibilityState === "visible",
  });
}

function keepLease() {
  if (activity && (isClaimed || task.state === "returned")) {
    watchActivity(activity);
    activity.start();
  } else if (isClaimed) heartbeat({ api, url, onOver: sayWhenLeaseIsOver });
}

function sayWhenLeaseIsOver(answer) {
  if (answer.status === 409 && isClaimed) notice.show(say("lease-over"));
}

// The place of the same source where the page before was left.
function returnTo({ said, focus, scroll }) {
  if (said) notice.show(say(`said-${said}`), { warn: false });
  if (focus === "summary") {
    $(".pane-switch input[value=work]").checked = true;
    main.dataset.pane = "work";
    $("#summary")?.focus({ preventScroll: true });
  }
  history.scrollRestoration = "manual";
  scrollTo({ top: scroll, behavior: "instant" });
}
