// One aggregation task on the page: entities and context to read, a form to answer, joined by the task's state machine.
import { answerForm } from "./aggregation-form.js";
import { both, complete } from "./aggregation-payload.js";
import { watchField } from "./authorship.js";
import { $, $$, tell } from "./dom.js";
import { even } from "./pasted.js";
import { TaskFrame } from "./task-frame.js";
import { makeTransition } from "./task-state.js";
import { showToast } from "./toasts.js";

const root = document;
const payloads = { complete, transition: makeTransition({ complete, both }) };

export class AggregationPage extends TaskFrame {
  constructor(parts) {
    super({ ...parts, payloads });
  }

  async preparePanes() {
    for (const background of $$("[data-background]", root)) {
      // What scrolls must be reached by the keyboard.
      if (background.scrollHeight > background.clientHeight + 1) background.tabIndex = 0;
    }
    for (const mention of $$("mark.mention", root)) {
      mention.addEventListener("click", () => nameMention(mention));
    }
  }

  openDraft(openTabs) {
    const { say, machine } = this;
    const restored = this.restoreDraft(openTabs);
    const page = answerForm({
      root,
      say,
      payload: restored.gathered.payload,
      onChange: (payload) => machine.send({ type: "edited", payload }),
      onReady: (payload) => machine.send({ type: "submit-requested", payload }),
    });
    this.handleConflict(page);
    if (this.record) this.watchBoxes();
    return { restored, page };
  }

  // What is read is the source of a paste: title, context and backgrounds.
  watchBoxes() {
    const pane = $("[data-part=source]", root);
    const own = [];
    for (const field of $$("[data-answer]", root)) {
      watchField({ field, source: even(pane.textContent), pane, record: this.record, own });
    }
  }

  handleConflict(page) {
    const { say, machine } = this;
    const box = $("[data-conflict]", root);
    const form = $("[data-answer-form]", root);
    const show = (isOpen) => {
      box.hidden = !isOpen;
      form.hidden = isOpen;
    };
    for (const button of $$("[data-resolve]", box)) {
      button.addEventListener("click", () => {
        show(false);
        machine.send({ type: "version-chosen", choice: button.dataset.resolve, mine: page.payload });
      });
    }
    machine.handle({
      openStep() {},
      setMarks() {},
      setSummary() {},
      showConflict: (theirs) => {
        $("[data-conflict-mine]", box).textContent = describe(page.payload, say);
        $("[data-conflict-theirs]", box).textContent = describe(theirs, say);
        show(true);
        $("h3", box).focus({ preventScroll: true });
      },
      sayConflictFirst: () => tell($("[data-submit-said]"), say("conflict-first")),
      focusSummary: page.focus,
      showPayload: (next) => (page.payload = next),
    });
  }

  returnTo({ said, focus, scroll }) {
    if (said) showToast(this.say(`said-${said}`));
    if (focus === "heading") $("h1", this.main).focus({ preventScroll: true });
    history.scrollRestoration = "manual";
    scrollTo({ top: focus === "heading" ? 0 : scroll, behavior: "instant" });
  }
}

// A tap shows whose mention it is, as pointing at it does.
function nameMention(mention) {
  for (const other of $$("mark.mention.is-named", root)) if (other !== mention) other.classList.remove("is-named");
  mention.classList.toggle("is-named");
}

const describe = ({ answers, cannot }, say) =>
  [...answers.filter((text) => text.trim()), ...(cannot ? [say("cannot-be-aggregated")] : [])].join("\n") ||
  say("nothing-written");
