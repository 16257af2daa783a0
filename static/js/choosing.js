// Step 1: candidates picked, worded otherwise or typed; then frozen for everybody after a confirmation in words.
import { listen } from "./life.js";
import { $, $$, iconButton, make, tell } from "./dom.js";
import { addOwn, checked, drop, full, matching, picked, restored, reword, toggle } from "./picks.js";

// One attribute's fieldset. Returns {key, label, picks()}; onChange() after every change.
function choicePane(box, { stored, say, onChange }) {
  const boxes = $$("[data-pick]", box);
  const candidates = boxes.map((input) => input.value);
  const most = box.dataset.most === undefined ? null : Number(box.dataset.most);
  const list = $("[data-chosen]", box);
  const field = $("[data-type-own]", box);
  const add = $("[data-add-own]", box);
  const said = $("[data-choice-said]", box);
  let picks = restored(stored, candidates, most);

  function row(pick, at) {
    const input = make("input", { className: "field", value: pick.text, dir: "auto", maxLength: 200 });
    input.setAttribute("aria-label", say("wording", { n: at + 1 }));
    input.addEventListener("input", () => {
      picks = reword(picks, at, input.value);
      note.hidden = sameText();
      onChange();
    });
    const sameText = () => pick.candidate === null || picks[at].text.trim() === pick.candidate;
    const note = make("span", {
      className: "hint",
      textContent: pick.candidate === null ? "" : say("from-candidate", { text: pick.candidate }),
    });
    note.hidden = sameText();
    const remove = iconButton("cross", say("remove-text", { text: pick.text }), () => {
      picks = drop(picks, at);
      render();
      (field ?? boxes[0])?.focus();
    });
    return make("li", {}, input, remove, note);
  }
  function render() {
    list?.replaceChildren(...picks.map(row));
    for (const input of boxes) {
      input.checked = picked(picks, input.value);
      input.disabled = full(picks, most) && !input.checked;
    }
    filter();
    onChange();
  }
  function filter() {
    if (!field) return;
    const typed = field.value.trim();
    const found = new Set(matching(candidates, typed));
    for (const input of boxes) input.closest(".pick").hidden = !found.has(input.value) && !input.checked;
    const known = candidates.some((text) => text.toLowerCase() === typed.toLowerCase());
    add.hidden = !typed || known || full(picks, most);
    add.textContent = say("add-own", { text: typed });
  }
  function own() {
    const result = addOwn(picks, field.value, candidates, most);
    picks = result.picks;
    tell(said, result.why && result.why !== "empty" ? say(`own-${result.why}`, { n: most }) : "");
    if (!result.why) {
      field.value = "";
      render();
    }
  }
  for (const input of boxes) {
    input.addEventListener("change", () => {
      picks = toggle(picks, input.value, most);
      tell(said, "");
      render();
    });
  }
  field?.addEventListener("input", () => {
    tell(said, "");
    filter();
  });
  field?.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      own();
    }
    if (event.key === "Escape") {
      field.value = "";
      filter();
    }
  });
  add?.addEventListener("click", () => {
    own();
    field.focus();
  });
  render();
  return {
    key: box.dataset.choice,
    label: $("legend", box).textContent,
    least: Number(box.dataset.least || 0),
    picks: () => picks,
    focus: () => (field ?? boxes[0])?.focus(),
  };
}

// onFrozen(answer) after the server said yes; onGone() when somebody else was first and that has been read.
export function choosing({ root, task, say, api, url, store, onChange, onFrozen, onGone }) {
  const place = `epitome-picks:${task.group.id}`;
  const kept = store.read(place) ?? {};
  const panes = [];
  const dialog = $("#confirm-choice");
  const said = $("[data-confirm-choice-said]", dialog);
  const freeze = $("[data-freeze]", dialog);
  let gone = false;

  function changed() {
    const now = Object.fromEntries(panes.map((pane) => [pane.key, pane.picks()]));
    store.write(place, now);
    onChange(
      Object.fromEntries(panes.map((pane) => [pane.key, checked(pane.picks()).chosen.map((pick) => pick.text)])),
    );
  }
  for (const box of $$("[data-choice]", root)) {
    panes.push(choicePane(box, { stored: kept[box.dataset.choice], say, onChange: () => panes.length && changed() }));
  }
  changed();

  function ask() {
    for (const pane of panes) {
      const { chosen, fault } = checked(pane.picks(), pane.least);
      if (!fault) continue;
      tell(
        $("[data-choose-said]", root),
        say(`choice-${fault}`, { label: pane.label, n: pane.least, chosen: chosen.length }),
      );
      pane.focus();
      return;
    }
    tell($("[data-choose-said]", root), "");
    tell(said, "");
    $("[data-confirm-list]", dialog).replaceChildren(
      ...panes.flatMap((pane) => {
        const texts = checked(pane.picks()).chosen.map((pick) => make("bdi", { textContent: pick.text }));
        const joined = texts.flatMap((node, i) => (i ? [", ", node] : [node]));
        return [
          make("dt", { textContent: pane.label }),
          make("dd", {}, ...(joined.length ? joined : [say("none-chosen")])),
        ];
      }),
    );
    dialog.showModal();
    freeze.focus();
  }
  async function send() {
    if (gone) {
      onGone();
      return;
    }
    freeze.disabled = true;
    const chosen = Object.fromEntries(panes.map((pane) => [pane.key, checked(pane.picks()).chosen]));
    const answer = await api("POST", url("choose"), { chosen });
    freeze.disabled = false;
    if (answer.ok) {
      store.remove(place);
      dialog.close();
      onFrozen(answer.data);
      return;
    }
    if (answer.kind === "conflict" && answer.data?.frozen) {
      gone = true;
      store.remove(place);
      const values = Object.values(answer.data.frozen).flat();
      tell(said, say("frozen-by-other", { texts: values.length ? say.list(values) : say("none-chosen") }));
      freeze.textContent = say("go-on");
      return;
    }
    const reasons = (answer.data?.errors ?? []).map((error) => error.message).join(" ");
    tell(said, say(`choose-${answer.kind}`, { detail: reasons || answer.data?.detail || "" }));
  }
  $("[data-choose]", root).addEventListener("click", ask);
  listen(freeze, "click", send);
  return { ask };
}
