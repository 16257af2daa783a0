// One task on the page: reads what the server sent and joins its parts by one state machine (task-state.js).
import { createActivity, watchActivity } from "./activity.js";
import { cookie, createApi, createStore } from "./api.js";
import { createRecord } from "./authorship.js";
import { choosing } from "./choosing.js";
import { $, $$, tell } from "./dom.js";
import { createJournal, openPages } from "./journal.js";
import { heartbeat, leave, rememberPlace, skipping } from "./leaving.js";
import { listen, whenOver } from "./life.js";
import { createMachine } from "./machine.js";
import { sourcePane } from "./source.js";
import { restoreCopies, saveOnWake, startSaving } from "./task-draft.js";
import { createEditing, focusSummaryOnKey } from "./task-editing.js";
import { createNotice } from "./task-notice.js";
import { initialState, nextTaskPage, transition, WRITING } from "./task-state.js";
import { makeSay } from "./words.js";

const root = document;
const csrf = (name) => cookie(document.cookie, name) || ($("[name=csrfmiddlewaretoken]")?.value ?? "");

export class TaskPage {
  // place: where the page before was left, or null. showNext(page): puts the next task in the place of this one.
  constructor({ task, urls, words, session, place, showNext }) {
    const main = $("[data-task]");
    Object.assign(this, { task, main, session, place });
    this.say = makeSay(words, document.documentElement.lang || "en");
    this.store = createStore(() => localStorage);
    this.api = createApi({ fetch: (...call) => fetch(...call), csrf: () => csrf(main.dataset.csrfCookie) });
    this.url = (name) => urls[name];
    this.frozen = task.group.frozen;
    this.isClaimed = task.state === "claimed";
    // with consent: signs of work, and counts of how the text comes about
    this.isRecorded = main.dataset.recorded === "yes";
    this.stopAfter = false;
    this.notice = createNotice({ root, say: this.say, signInPage: main.dataset.signIn });
    this.machine = createMachine({ state: initialState(task.kind), transition });
    this.handleExits(showNext);
  }

  handleExits(showNext) {
    const { task, session, main, notice, machine } = this;
    const reload = (more = {}) => {
      rememberPlace(session, task, more);
      location.reload();
    };
    this.reload = reload;
    machine.handle({
      notify: (id, how) => notice.show(this.say(id, { name: main.dataset.personName }), how),
      hideNotice: notice.hide,
      leave: (next, said) => leave({ store: session, task, next, workPage: main.dataset.nextPage, said }),
      goTo: (page) => location.assign(page),
      showNext,
      reload,
      // Until there is a draft, and on a page without one:
      reloadAfterSaving: reload,
      setMarks() {},
      stopSaving() {},
    });
  }

  async start() {
    const { task, say, machine } = this;
    this.pane = sourcePane({
      root,
      segments: task.document.segments,
      say,
      onMarks: (indices) => machine.send({ type: "marked", indices }),
    });
    this.pane.offerChosen(this.listChosenSpeakers());
    this.step1 = this.frozen ? null : this.startChoosing();
    this.measuring = await this.loadMeters();
    await this.startDraft();
    this.startSkipping();
    this.keepLease();
    if (this.place) this.returnTo(this.place);
  }

  async startDraft() {
    const { task, isRecorded } = this;
    const tab = Math.random().toString(36).slice(2);
    this.pages = openPages(tab);
    this.record = isRecorded ? createRecord({ page: tab }) : null;
    this.journal = createJournal({ store: this.store, person: this.main.dataset.person, task: task.id, tab });
    this.draft = task.kind === "choosing" ? null : this.openDraft(await this.pages.open(this.journal.tabs()));
    this.activity = isRecorded ? this.recordActivity() : null;
    if (this.activity) whenOver(() => this.activity.stop());
    if (this.draft) this.saveDraft();
  }

  listChosenSpeakers() {
    const { attributes, group } = this.task;
    const isSpeakers = (key) => attributes.find((attribute) => attribute.key === key)?.kind === "speakers";
    return Object.entries(group.chosen).flatMap(([key, texts]) => (isSpeakers(key) ? texts : []));
  }

  startChoosing() {
    const { task, say, api, url, store, machine } = this;
    const showChosen = (chosen) => this.showChosen(chosen);
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

  showChosen(chosen) {
    for (const [key, texts] of Object.entries(chosen)) {
      const chip = $(`[data-chip="${CSS.escape(key)}"]`);
      chip?.classList.toggle("waiting", !texts.length);
      if (chip) $(".value", chip).textContent = texts.length ? texts.join(", ") : this.say("yours-to-pick");
    }
  }

  // All meters, where the project shows them; a page without them is a page to write on all the same.
  async loadMeters() {
    if (this.task.assistance !== "full" || !this.frozen || this.task.kind === "choosing") return null;
    try {
      return await import("./meters.js");
    } catch {
      for (const value of $$("[data-value]")) tell(value, this.say("meter-failed"));
      return null;
    }
  }

  openDraft(openTabs) {
    const { task, say, pane, api, url, machine, record } = this;
    this.pages.hold();
    const restored = restoreCopies({ journal: this.journal, openTabs, draft: task.draft });
    const meters = this.measuring?.meterPanel({ root, task, say, pane, api, url }) ?? null;
    const { payload } = restored.gathered;
    const onStepOne = () => this.step1.ask();
    return { restored, ...createEditing({ root, task, say, machine, pane, meters, record, payload, onStepOne }) };
  }

  saveDraft() {
    const { api, url, store, task, say, machine, journal, record, activity, pages, frozen } = this;
    const { restored, page, editor } = this.draft;
    const counts = () => (record ? { authorship: record.counts() } : {});
    const step = activity && (() => activity.step);
    const { person } = this.main.dataset;
    const stops = () => this.stopAfter;
    const parts = { api, url, store, task, say, person, machine, journal, restored, page, counts, step, stops };
    const { autosave, submit } = startSaving(parts);
    this.openAskedStep();
    focusSummaryOnKey({ machine, frozen, editor });
    saveOnWake({ autosave, submit, machine, pages });
    machine.handle({
      reloadAfterSaving: async (more) => {
        await autosave.now();
        this.reload(more);
      },
    });
    this.watchSubmitButtons();
  }

  // A returned summary opens at the step that the reviewer writes about.
  openAskedStep() {
    const step = Number($(".panel").dataset.openStep);
    if (step && this.machine.state.phase === WRITING) this.draft.page.openStep(step);
  }

  // "Submit and stop" is Submit, after which no next task is claimed.
  watchSubmitButtons() {
    const submit = $("[data-submit]");
    $("[data-submit-stop]")?.addEventListener("click", () => {
      this.stopAfter = true;
      submit.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    });
    // Whatever the person does next is meant anew: a refused "Submit and stop" does not turn a later Submit into one.
    for (const type of ["pointerdown", "keydown"]) {
      listen(globalThis, type, () => (this.stopAfter = false), { capture: true });
    }
  }

  recordActivity() {
    return createActivity({
      beat: async (sign) => this.sayWhenLeaseIsOver(await this.api("POST", this.url("heartbeat"), sign)),
      step: () => (this.frozen ? (this.draft?.page.step ?? "write") : "choose"),
      visible: () => document.visibilityState === "visible",
    });
  }

  startSkipping() {
    if (!$("[data-skip-form]")) return;
    const { api, url, say, machine } = this;
    skipping({ api, url, say, onSkipped: (answer) => machine.send({ type: "skipped", next: answer?.next ?? null }) });
  }

  keepLease() {
    const { api, url } = this;
    if (this.activity && (this.isClaimed || this.task.state === "returned")) {
      watchActivity(this.activity);
      this.activity.start();
    } else if (this.isClaimed) heartbeat({ api, url, onOver: (answer) => this.sayWhenLeaseIsOver(answer) });
  }

  sayWhenLeaseIsOver(answer) {
    if (answer.status === 409 && this.isClaimed) this.notice.show(this.say("lease-over"));
  }

  // The place of the same source where the page before was left.
  returnTo({ said, focus, scroll }) {
    if (said) this.notice.show(this.say(`said-${said}`), { warn: false });
    if (focus === "summary") {
      $(".pane-switch input[value=work]").checked = true;
      this.main.dataset.pane = "work";
      $("#summary")?.focus({ preventScroll: true });
    } else if (focus === "heading") {
      $(".pane-switch input[value=source]").checked = true;
      this.main.dataset.pane = "source";
      $("h1", this.main).focus({ preventScroll: true });
    }
    history.scrollRestoration = "manual";
    scrollTo({ top: scroll, behavior: "instant" });
  }
}
