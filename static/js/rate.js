// Judging one item: answers by one key, saved as they come, handed in with Next. Offline they stay in this browser.
import { BROKEN, OFFLINE, SESSION, cookie, createApi, createStore } from "./api.js";
import { createAutosave, equal, reconcile } from "./autosave.js";
import { copiedWords } from "./copied.js";
import { $, $$ } from "./dom.js";
import { createJournal } from "./journal.js";
import { onKey } from "./keys.js";
import { copiedRuns, indexSource } from "./overlap.js";
import { createQueue } from "./queue.js";
import { saveState } from "./savestate.js";
import { sourcePane } from "./source.js";
import { makeSay } from "./words.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const item = read("item-data");
const say = makeSay(read("item-words"), document.documentElement.lang);
const main = $("[data-rate]");
const form = $("[data-questions]");
const questions = $$("[data-question]");
const status = $("[data-left]");
const back = $("[data-back]");
const open = item.round.open;
const BEAT = 20000;
let now = 0;

/* Source */
const segments = item.source?.segments ?? [];
const pane = segments.length ? sourcePane({ root: $(".bench-source"), segments, say, onMarks() {} }) : null;
const lit = $("[data-show-copied]");
if (pane && lit) {
  const mirror = $("[data-summary]");
  const text = item.summaries[0].text;
  if (text && mirror.textContent !== text) mirror.textContent = text; // offsets need the text as it is stored
  const box = $("[data-runs-box]");
  const words = copiedWords({ root: main, mirror, pane, segments, say });
  let index = null;
  const show = () => {
    box.hidden = !lit.checked;
    if (lit.checked) index ??= indexSource(segments, item.source.domain);
    words.show(text, lit.checked ? copiedRuns(text, index) : []);
  };
  lit.addEventListener("change", show);
  onKey("c", () => { lit.click(); });
}

/* Questions */
const picked = (question) => $("input[type=radio]:checked, textarea", question)?.value ?? "";
const asked = (question) => question.dataset.required !== undefined;
const lacking = () => questions.filter((one) => asked(one) && !picked(one));

function payload() {
  const answers = {};
  for (const one of questions) {
    const answer = picked(one);
    if (answer || $("textarea", one)) answers[one.dataset.question] = { answer, unsure: Boolean($("[data-unsure]", one)?.checked) };
  }
  return { answers, note: $("#note").value };
}
function fill(told) {
  for (const one of questions) {
    const given = told.answers[one.dataset.question];
    for (const input of $$("input[type=radio]", one)) input.checked = input.value === given?.answer;
    const field = $("textarea", one);
    if (field) field.value = given?.answer ?? "";
    const unsure = $("[data-unsure]", one);
    if (unsure) unsure.checked = Boolean(given?.unsure);
  }
  $("#note").value = told.note ?? "";
  update();
}
function go(i, focus = true) {
  now = Math.max(0, Math.min(questions.length - 1, i));
  questions.forEach((one, k) => one.classList.toggle("is-now", k === now));
  if (focus) $("input:checked, input, textarea", questions[now])?.focus({ preventScroll: true });
  questions[now].scrollIntoView({ block: "nearest" });
}
function update() {
  for (const one of questions) one.classList.toggle("is-answered", Boolean(picked(one)));
  const left = lacking().length;
  if (open) status.textContent = left ? say("left", { n: left }) : say("all-answered");
  $("[data-next]")?.setAttribute("aria-disabled", String(left > 0));
  const side = questions.find((one) => one.dataset.about === "pair" && ["a", "b"].includes(picked(one)));
  for (const text of $$(".pair article")) text.classList.toggle("is-chosen", text.dataset.side === (side && picked(side)));
}
function answer(key) {
  const input = $(`input[data-key="${key}"]`, questions[now]);
  if (!input || input.disabled) return false;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  const after = questions.findIndex((one, k) => k > now && asked(one) && !picked(one));
  const any = questions.findIndex((one) => asked(one) && !picked(one));
  if (after >= 0 || any >= 0) go(after >= 0 ? after : any);
  else input.focus({ preventScroll: true });
  return true;
}
for (const one of questions) one.toggleAttribute("data-wide", $$("input[type=radio]", one).length > 2);
for (const key of ["y", "n", "a", "b", "t"]) onKey(key, () => answer(key));
for (let n = 1; n <= 9; n += 1) {
  onKey(String(n), () => {
    if (answer(String(n))) return true;
    if (!questions[n - 1]) return false;
    go(n - 1);
    return true;
  });
}
onKey("u", () => {
  const box = $("[data-unsure]", questions[now]);
  if (!box || box.disabled) return false;
  box.click();
  return true;
});
form.addEventListener("focusin", (event) => {
  const i = questions.indexOf(event.target.closest("[data-question]"));
  if (i >= 0 && i !== now) go(i, false);
});

/* Saving */
const api = createApi({ fetch: globalThis.fetch.bind(globalThis), csrf: () => cookie(document.cookie, main.dataset.csrfCookie) });
const url = main.dataset.api;
const store = createStore(() => localStorage);
const person = main.dataset.person;
const journal = createJournal({ store, person, task: item.id, tab: "item" });
const show = saveState({ say });
const conflict = $("[data-conflict]");
let theirs = null;

const queue = createQueue({
  store,
  name: `${person}:${item.id}`,
  random: () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
  send: (body) => api("POST", `${url}judgements/`, body),
  onState(state, answered) {
    form.dataset.sending = state;
    if (state === "sending") status.textContent = say("sending");
    if (state === "sent") finished(answered.data);
    if (state === "waiting") status.textContent = say({ [OFFLINE]: "wait-offline", [SESSION]: "wait-session", [BROKEN]: "wait-broken" }[answered.kind]);
    if (state === "refused") status.textContent = say("refused", { detail: answered.data?.detail ?? "" });
  },
});
const start = reconcile(journal.left()[0] ?? store.read(`epitome-draft:${person}:${item.id}:item`), { payload: item.payload, revision: item.revision });
const autosave = createAutosave({
  send: (body) => api("POST", `${url}judgements/`, body),
  keep: journal,
  revision: start.revision,
  pause: 400,
  onState(state, details) {
    show(state, details);
    if (state === "conflict") { theirs = { payload: details.theirs, revision: details.revision }; conflict.hidden = false; }
  },
});
function changed() {
  update();
  if (!open) return;
  if (queue.cancel()) status.textContent = "";
  if (!equal(payload(), item.payload) || item.revision) autosave.changed(payload());
}
$("[data-keep-these]").addEventListener("click", () => { conflict.hidden = true; autosave.resolve(payload(), theirs.revision); });
$("[data-take-those]").addEventListener("click", () => { journal.clear(); location.reload(); });

function finished({ next, reason }) {
  autosave.stop();
  journal.clear();
  if (next) location.assign(next.page);
  else if (reason && reason !== "busy") location.assign(`${main.dataset.home}?said=${reason}`);
  else ask();
}
async function ask() {
  const next = await api("POST", main.dataset.claim);
  if (next.status === 204) location.assign(`${main.dataset.home}?said=all_yours`);
  else if (next.ok) location.assign(next.data.page);
  else { status.textContent = say({ [OFFLINE]: "wait-offline", [SESSION]: "wait-session" }[next.kind] ?? "wait-broken"); setTimeout(ask, 5000); }
}
function send() {
  const still = lacking();
  if (still.length) {
    status.textContent = say("still-open", { list: say.list(still.map((one) => String(questions.indexOf(one) + 1))) });
    go(questions.indexOf(still[0]));
    return;
  }
  if (!queue.waiting) queue.add(JSON.stringify({ payload: payload(), done: true, next: "page" }));
}
if (open) {
  form.addEventListener("change", changed);
  form.addEventListener("input", (event) => { if (event.target.matches("textarea")) changed(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  onKey("Enter", (event) => {
    if (event.target.closest("button, a, summary")) return false;
    send();
    return true;
  });
  if (start.unsaved) {
    fill(start.payload);
    status.textContent = say("restored");
    if (start.theirs) { theirs = { payload: start.theirs, revision: item.revision }; conflict.hidden = false; autosave.hold(); }
    else autosave.changed(start.payload);
  }
  const left = queue.left();
  if (left) queue.add(left);
  addEventListener("online", () => { queue.now(); autosave.now(); });
  // A sign of life while somebody is at work: the server counts the time and keeps the item.
  let alive = true;
  for (const kind of ["keydown", "pointermove", "scroll"]) addEventListener(kind, () => { alive = true; }, { passive: true, capture: true });
  setInterval(() => {
    if (!alive || document.visibilityState !== "visible") return;
    alive = false;
    api("POST", `${url}seen/`);
  }, BEAT);
}
onKey("p", () => { if (!back) return false; back.click(); return true; });

/* The source, shown or not */
const toggle = $("[data-toggle-source]");
toggle?.addEventListener("click", () => {
  const shown = main.dataset.source === "open";
  main.dataset.source = shown ? "closed" : "open";
  toggle.setAttribute("aria-expanded", String(!shown));
  $("span", toggle).textContent = say(shown ? "show-source" : "hide-source");
});
onKey("o", () => { toggle?.click(); });

update();
go(Math.max(0, questions.findIndex((one) => asked(one) && !picked(one))));
main.dataset.ready = "yes";
