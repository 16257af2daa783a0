// The search dialog (Ctrl+K, on a Mac Cmd+K): a combobox after the WAI-ARIA pattern; the field keeps the focus.
import { $, $$, make, tell } from "./dom.js";
import { createSearch, listHits, moveTo } from "./palette-search.js";

const isMac = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform ?? "");
const dialog = $("[data-palette]");
const field = $("input", dialog);
const list = $("[role=listbox]", dialog);
let at = -1;

const options = () => $$("[role=option]", list);

function select(place) {
  at = place;
  for (const [i, option] of options().entries()) {
    option.setAttribute("aria-selected", String(i === at));
    if (i === at) option.scrollIntoView({ block: "nearest" });
  }
  if (at < 0) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", `palette-hit-${at}`);
}

function makeOption(hit, n) {
  const title = make("span", { dir: "auto", textContent: hit.title });
  const where = make("span", { className: "palette-where", dir: "auto", textContent: hit.where });
  const option = make("div", { id: `palette-hit-${n}` }, title, where);
  option.setAttribute("role", "option");
  option.dataset.url = hit.url;
  return option;
}

function makeGroup(group, number, first) {
  const heading = make("div", {
    id: `palette-group-${number}`,
    className: "palette-heading",
    textContent: group.label,
  });
  const part = make("div", {}, heading, ...group.hits.map((hit, i) => makeOption(hit, first + i)));
  part.setAttribute("role", "group");
  part.setAttribute("aria-labelledby", heading.id);
  return part;
}

function show(groups, text) {
  let first = 0;
  list.replaceChildren(
    ...groups.map((group, number) => {
      const part = makeGroup(group, number, first);
      first += group.hits.length;
      return part;
    }),
  );
  const count = listHits(groups).length;
  field.setAttribute("aria-expanded", String(count > 0));
  tell($("[data-palette-said]", dialog), count ? "" : dialog.dataset.none.replace("{query}", text));
  const { countOne, countOther } = dialog.dataset;
  const said = count === 1 ? countOne : countOther.replace("{n}", String(count));
  $("[data-palette-status]", dialog).textContent = count ? said : $("[data-palette-said]", dialog).textContent;
  select(text && count ? 0 : -1);
}

function showFailure() {
  list.replaceChildren();
  field.setAttribute("aria-expanded", "false");
  select(-1);
  tell($("[data-palette-said]", dialog), dialog.dataset.silent);
  $("[data-palette-status]", dialog).textContent = dialog.dataset.silent;
}

const searching = createSearch({
  async ask(text) {
    const address = new URL(dialog.dataset.url, location.href);
    address.searchParams.set("q", text);
    if (dialog.dataset.project) address.searchParams.set("project", dialog.dataset.project);
    const answer = await fetch(address, { credentials: "same-origin", headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    return answer.json();
  },
  later: (run, pause) => setTimeout(run, pause),
  clear: (timer) => clearTimeout(timer),
  onHits: show,
  onFailure: showFailure,
});

function open() {
  if (document.querySelector("dialog[open]")) return;
  dialog.showModal();
  field.select();
  searching.now(field.value.trim());
}

const go = (option) => {
  if (option) location.assign(option.dataset.url);
};

field.addEventListener("input", () => searching.typed(field.value.trim()));
field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Enter") {
    event.preventDefault();
    go(options()[at]);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    select(moveTo(event.key, at, options().length));
  } else if ((event.key === "Home" || event.key === "End") && event.ctrlKey) {
    event.preventDefault();
    select(moveTo(event.key, at, options().length));
  }
});
list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // beside it
});
dialog.addEventListener("close", () => searching.stop());
addEventListener("keydown", (event) => {
  const isShortcut = event.key.toLowerCase() === "k" && (isMac ? event.metaKey : event.ctrlKey);
  if (!isShortcut || event.altKey || event.shiftKey) return;
  event.preventDefault();
  if (dialog.open) dialog.close();
  else open();
});
for (const button of $$("[data-open-palette]")) button.addEventListener("click", open);
for (const key of $$("[data-shortcut]")) if (isMac) key.textContent = "⌘ K";
dialog.dataset.ready = "yes";
