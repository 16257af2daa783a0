// Shows the task that came with the page, and after each submit the next one in its place. The address, the focus and
// what is announced follow; where anything goes wrong the next task's page is loaded.
import { createStore } from "./api.js";
import { $, setIcon } from "./dom.js";
import { forgetTyping } from "./keys.js";
import { takePlace } from "./leaving.js";
import { endAll } from "./life.js";

const readData = (id) => JSON.parse($(`#${id}`).textContent);
const session = createStore(() => sessionStorage);
const part = (name) => $(`[data-part="${name}"]`);
// As they came with the page, without marks.
const untouched = { source: part("source").cloneNode(true), panel: part("panel").cloneNode(true) };
let shown = { task: readData("task-data"), urls: readData("task-urls"), words: readData("task-words") };
let Page = null;

// The page of one kind: a subclass of TaskFrame.
export async function showTasks(kindOfPage) {
  Page = kindOfPage;
  await show(takePlace(session, shown.task));
  addEventListener("popstate", () => {
    if (location.pathname !== shown.task.page) location.reload();
  });
}

async function show(place) {
  delete $("[data-task]").dataset.ready; // until it can be written on
  await new Page({ ...shown, session, place, showNext }).start();
  $("[data-task]").dataset.ready = "yes";
}

// page: the answer to a submit, with the parts of the next task's page.
async function showNext(page) {
  const isSameSource = page.task.document.id === shown.task.document.id;
  const scroll = isSameSource ? scrollY : 0;
  try {
    endAll();
    forgetTyping();
    replaceParts(page);
    shown = { task: page.task, urls: page.urls, words: page.words ?? shown.words };
    history.pushState(null, "", page.url);
    await show({ said: isSameSource ? "submitted" : "submitted-next", focus: "heading", scroll });
  } catch (error) {
    console.error(error);
    location.assign(page.url);
  }
}

function replaceParts(page) {
  const { parts } = page;
  if (parts.source) untouched.source = parse(parts.source);
  if (parts.panel) untouched.panel = parse(parts.panel);
  if (parts.head) $(".panel-head", untouched.panel).replaceWith(parse(parts.head));
  if (parts.step_one) $("#step-1", untouched.panel).replaceWith(parse(parts.step_one));
  $("[data-task-notice]", untouched.panel).hidden = true;
  part("source").replaceWith(untouched.source.cloneNode(true));
  part("panel").replaceWith(untouched.panel.cloneNode(true));
  if (parts.dialogs) $("[data-task-dialogs]").replaceChildren(...parseAll(parts.dialogs));
  $("[data-ask-form]").action = page.urls.ask;
  $("[data-ask-form]").reset();
  resetSaveState(page.saved);
  const heading = $("#main h1");
  if (heading.textContent !== page.title) {
    document.title = document.title.replace(heading.textContent, page.title);
    heading.textContent = page.title;
  }
}

// What the header said of the draft before is not true of this one.
function resetSaveState(saved) {
  const element = $("[data-save-state]");
  element.dataset.state = "saved";
  element.title = "";
  setIcon($(".icon", element), "cloud");
  $("[data-short]", element).textContent = saved;
  $("[data-long]", element).textContent = "";
}

// Markup of our own server, in which everything that people wrote is escaped; scripts in it do not run.
const parseAll = (html) => [...new DOMParser().parseFromString(html, "text/html").body.children];
const parse = (html) => parseAll(html)[0];
