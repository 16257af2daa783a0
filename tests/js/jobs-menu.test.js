import assert from "node:assert/strict";
import { test } from "node:test";

import { startJobsMenu } from "../../static/js/jobs-menu.js";

function makeElement(more = {}) {
  const element = {
    dataset: {},
    attributes: {},
    setAttribute(name, value) {
      element.attributes[name] = value;
    },
    replaceChildren(child) {
      element.child = child;
      element.textContent = "";
    },
    classList: { remove() {} },
    removed: false,
    remove() {
      element.removed = true;
    },
    ...more,
  };
  return element;
}

function scene({ answers, failed = false }) {
  globalThis.FormData = class {};
  const parts = {
    "[data-jobs-list]": makeElement(),
    "[data-jobs-seen]": makeElement({ hidden: !failed, action: "/jobs/seen/" }),
    ".badge": makeElement(),
    summary: makeElement(),
  };
  const menu = makeElement({
    open: false,
    dataset: { latest: "/jobs/latest/", silent: "No answer.", seenLabel: "Jobs", seenShown: "" },
    querySelector: (name) => parts[name],
    addEventListener: (_type, run) => (menu.toggle = run),
  });
  const calls = [];
  let waiting = null;
  startJobsMenu(menu, {
    fetch: async (url, options) => {
      calls.push(`${options.method ?? "GET"} ${url}`);
      if (options.method === "POST") return { ok: true };
      const answer = answers.shift();
      if (answer === undefined) throw new Error("offline");
      return { ok: true, text: async () => answer };
    },
    parse: (text) => ({ text, dataset: text === "running" ? { underWay: "" } : {} }),
    later: (run) => (waiting = run),
    clear: () => (waiting = null),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    parts,
    calls,
    settle,
    isWaiting: () => waiting !== null,
    async open(isOpen = true) {
      menu.open = isOpen;
      menu.toggle();
      await settle();
    },
    async poll() {
      const run = waiting;
      waiting = null;
      await run();
    },
  };
}

test("nothing is asked before the menu is opened, and nothing goes on when all is done", async () => {
  const menu = scene({ answers: ["done"] });
  assert.deepEqual(menu.calls, []);
  await menu.open();
  assert.deepEqual(menu.calls, ["GET /jobs/latest/"]);
  assert.equal(menu.parts["[data-jobs-list]"].child.text, "done");
  assert.equal(menu.isWaiting(), false);
});

test("while a job runs it asks again, until the menu is shut", async () => {
  const menu = scene({ answers: ["running", "running", "done"] });
  await menu.open();
  assert.equal(menu.isWaiting(), true);
  await menu.poll();
  assert.equal(menu.isWaiting(), true);
  await menu.open(false);
  assert.equal(menu.isWaiting(), false);
});

test("to open the menu is to have seen what failed", async () => {
  const menu = scene({ answers: ["done"], failed: true });
  await menu.open();
  assert.deepEqual(menu.calls.sort(), ["GET /jobs/latest/", "POST /jobs/seen/"]);
  assert.equal(menu.parts["[data-jobs-seen]"].hidden, true);
  assert.equal(menu.parts[".badge"].removed, true);
  assert.equal(menu.parts.summary.attributes["aria-label"], "Jobs");
});

test("no answer is said", async () => {
  const menu = scene({ answers: [] });
  await menu.open();
  assert.equal(menu.parts["[data-jobs-list]"].textContent, "No answer.");
});
