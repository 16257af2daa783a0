// One task on the page, of those with a source and steps: joins its parts by one state machine (task-state.js).
import { choosing } from "./choosing.js";
import { $, $$, tell } from "./dom.js";
import { sourcePane } from "./source.js";
import { requestLine, reviewList } from "./review-list.js";
import { complete } from "./steps.js";
import { createEditing, focusSummaryOnKey } from "./task-editing.js";
import { TaskFrame } from "./task-frame.js";
import { nextTaskPage, transition, WRITING } from "./task-state.js";
import { showToast } from "./toasts.js";

const root = document;

export class TaskPage extends TaskFrame {
  constructor(parts) {
    super({ ...parts, payloads: { complete, transition } });
  }

  async preparePanes() {
    const { task, say, machine } = this;
    this.pane = sourcePane({
      root,
      segments: task.document.segments,
      say,
      onMarks: (indices) => machine.send({ type: "marked", indices }),
    });
    this.pane.offerChosen(this.listChosenSpeakers());
    $("[data-request-line]").textContent = requestLine(task, say);
    this.step1 = this.frozen ? null : this.startChoosing();
    this.measuring = await this.loadMeters();
  }

  followStart() {
    this.openAskedStep();
    focusSummaryOnKey({ machine: this.machine, frozen: this.frozen, editor: this.draft.editor });
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
    const restored = this.restoreDraft(openTabs);
    const review = reviewList({ root, task, say });
    const meters = this.measuring?.meterPanel({ root, task, say, pane, api, url, review }) ?? null;
    const { payload } = restored.gathered;
    const onStepOne = () => this.step1.ask();
    return {
      restored,
      ...createEditing({ root, task, say, machine, pane, meters, record, review, payload, onStepOne }),
    };
  }

  // A returned summary opens at the step that the reviewer writes about.
  openAskedStep() {
    const step = Number($(".panel").dataset.openStep);
    if (step && this.machine.state.phase === WRITING) this.draft.page.openStep(step);
  }

  // The place of the same source where the page before was left.
  returnTo({ said, focus, scroll }) {
    if (said) showToast(this.say(`said-${said}`, { request: requestLine(this.task, this.say) }));
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
