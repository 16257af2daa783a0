// Judging one item: answers by one key, saved as they come, submitted with Next. Offline they stay in this browser. The
// parts are joined by one state machine (rate-state.js).
import { BROKEN, OFFLINE, SESSION, cookie, createApi, createStore } from "./api.js";
import { createAutosave, equal, reconcile } from "./autosave.js";
import { $, $$ } from "./dom.js";
import { createJournal } from "./journal.js";
import { onKey } from "./keys.js";
import { createMachine } from "./machine.js";
import { markingField } from "./marking.js";
import { createQueue } from "./queue.js";
import { questionForm } from "./rate-questions.js";
import { showSource, toggleSourceOnDemand } from "./rate-source.js";
import { initialState, transition } from "./rate-state.js";
import { followSlides } from "./rate-texts.js";
import { saveState } from "./savestate.js";
import { makeSay } from "./words.js";

const HEARTBEAT = 20000;
const CLAIM_AGAIN = 5000;
const WAITING_SENTENCES = { [OFFLINE]: "wait-offline", [SESSION]: "wait-session", [BROKEN]: "wait-broken" };

const readData = (id) => JSON.parse(document.getElementById(id).textContent);
const item = readData("item-data");
const say = makeSay(readData("item-words"), document.documentElement.lang);
const main = $("[data-rate]");
const form = $("[data-questions]");
const status = $("[data-left]");
const conflict = $("[data-conflict]");
const back = $("[data-back]");
const { person, csrfCookie, home, judgementsUrl, seenUrl, claimUrl } = main.dataset;
const isOpen = item.round.open;

const api = createApi({ fetch: globalThis.fetch.bind(globalThis), csrf: () => cookie(document.cookie, csrfCookie) });
const store = createStore(() => localStorage);
const journal = createJournal({ store, person, task: item.id, tab: "item" });
const machine = createMachine({ state: initialState(isOpen), transition });

showSource({ main, item, say });
followSlides();
for (const fieldset of $$("[data-question]:has([data-marking])"))
  markingField({ fieldset, summary: $("[data-summary]"), text: item.summaries[0].text, isOpen, say });
const leftText = (n) => (n ? say("left", { n }) : say("all-answered"));
const questions = questionForm({
  form,
  onCount(n) {
    if (isOpen) status.textContent = leftText(n);
  },
  onUnsure({ place, unsure }) {
    const marked = say(unsure ? "unsure-marked" : "unsure-cleared", { number: place + 1 });
    status.textContent = `${marked} ${leftText(questions.unanswered().length)}`;
  },
});
const sendJudgement = (body) => api("POST", judgementsUrl, body);
const queue = createQueue({
  store,
  name: `${person}:${item.id}`,
  random: () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
  send: sendJudgement,
  onState: (sending, answer) => machine.send({ type: "submit-state", sending, answer }),
});
const start = reconcile(journal.left()[0] ?? store.read(`epitome-draft:${person}:${item.id}:item`), {
  payload: item.payload,
  revision: item.revision,
});
const autosave = createAutosave({
  send: sendJudgement,
  keep: journal,
  revision: start.revision,
  sent: start.sent,
  pause: 400,
  onState: (saving, details) => machine.send({ type: "save-state", saving, details }),
});

machine.handle({
  /* What is shown */
  say: (id, values) => {
    status.textContent = say(id, values);
  },
  sayWaiting: (kind) => {
    status.textContent = say(WAITING_SENTENCES[kind] ?? "wait-broken");
  },
  sayUnanswered(places) {
    status.textContent = say("still-open", { list: say.list(places.map((place) => String(place + 1))) });
    questions.goTo(places[0]);
  },
  clearStatus: () => {
    status.textContent = "";
  },
  markSending: (sending) => {
    form.dataset.sending = sending;
  },
  showSaveState: saveState({ say }),
  showConflict: () => {
    conflict.hidden = false;
  },
  hideConflict: () => {
    conflict.hidden = true;
  },
  fillAnswers: questions.fill,
  /* The draft and the finished answers */
  saveDraft: autosave.changed,
  holdDraft: autosave.hold,
  replaceDraft: autosave.resolve,
  stopSaving: autosave.stop,
  clearJournal: journal.clear,
  submit: queue.add,
  cancelSubmit: queue.cancel,
  /* The next page */
  open: (page) => location.assign(page),
  openHome: (reason) => location.assign(`${home}?said=${reason}`),
  reload: () => location.reload(),
  claimNext,
  claimLater: () => setTimeout(claimNext, CLAIM_AGAIN),
});

async function claimNext() {
  machine.send({ type: "claimed", answer: await api("POST", claimUrl) });
}

function sendEdit() {
  questions.showAnswered();
  const payload = questions.payload();
  machine.send({ type: "edited", payload, pristine: equal(payload, item.payload) && !item.revision });
}

function requestSubmit() {
  const body = JSON.stringify({ payload: questions.payload(), done: true, next: "page" });
  machine.send({ type: "submit-requested", unanswered: questions.unanswered(), body });
}

function listenToForm() {
  form.addEventListener("change", sendEdit);
  form.addEventListener("input", (event) => {
    if (event.target.matches("textarea")) sendEdit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    requestSubmit();
  });
  onKey("Enter", (event) => {
    if (event.target.closest("button, a, summary")) return false;
    requestSubmit();
    return true;
  });
  addEventListener("online", () => {
    queue.now();
    autosave.now();
  });
}

// While somebody is at work: the server counts the time and keeps the item for this person.
function sendHeartbeats() {
  let active = true;
  const touch = () => {
    active = true;
  };
  for (const name of ["keydown", "pointermove", "scroll"])
    addEventListener(name, touch, { passive: true, capture: true });
  setInterval(() => {
    if (!active || document.visibilityState !== "visible") return;
    active = false;
    api("POST", seenUrl);
  }, HEARTBEAT);
}

$("[data-keep-these]").addEventListener("click", () =>
  machine.send({ type: "keep-mine", payload: questions.payload() }),
);
$("[data-take-those]").addEventListener("click", () => machine.send({ type: "take-theirs" }));
if (isOpen) {
  listenToForm();
  machine.send({ type: "answers-restored", start, revision: item.revision, unsent: queue.left() });
  sendHeartbeats();
}
onKey("p", () => {
  if (!back) return false;
  back.click();
  return true;
});
toggleSourceOnDemand({ main, say });
questions.showAnswered();
questions.goToFirstUnanswered();
main.dataset.ready = "yes";
