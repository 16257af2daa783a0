import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { BROKEN, OFFLINE, OK, REFUSED } from "../../static/js/api.js";
import { createRemote, PAUSE } from "../../static/js/remote.js";

const asked = (id) => ({ ok: true, kind: OK, data: { id } });
const look = (state, values = null, revision = 1) => ({ ok: true, kind: OK, data: { state, revision, values } });
const lost = (kind) => ({ ok: false, kind, data: undefined });

// A server with an answer for each call in turn; `calls` is what it was sent, `said` what the page was told.
function world(answers) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const calls = [];
  const said = [];
  const api = async (method, url, body) => {
    calls.push({ method, url, body });
    return answers.shift() ?? lost(BROKEN);
  };
  const remote = createRemote({
    api,
    url: (name) => `/a/${name}/`,
    timers: { setTimeout, clearTimeout },
    onState: (state, values) => said.push(values && state === "done" ? { [state]: values } : state),
  });
  return { remote, calls, said };
}
const settle = async () => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};
async function pass(time) {
  for (let gone = 0; gone < time; gone += 100) {
    mock.timers.tick(100);
    await settle();
  }
}
test.afterEach(() => mock.timers.reset());

test("after a pause the newest text alone is asked for, and the value follows", async () => {
  const values = { specificity: { value: 4.5 } };
  const { remote, calls, said } = world([asked("j1"), look("pending", null, 2), look("done", values, 2)]);
  remote.changed("One");
  await pass(PAUSE - 200);
  remote.changed("One two.");
  await pass(PAUSE - 100);
  assert.equal(calls.length, 0);
  await pass(2000);
  assert.deepEqual(calls[0], { method: "POST", url: "/a/meters/", body: { summary: "One two.", revision: 2 } });
  assert.deepEqual(
    calls.slice(1).map((call) => `${call.method} ${call.url}`),
    ["GET /a/meters/j1/", "GET /a/meters/j1/"],
  );
  assert.deepEqual(said, ["waiting", "waiting", "counting", { done: values }]);
});

test("an answer for a text that has changed is not shown", async () => {
  let arrive;
  const late = new Promise((done) => {
    arrive = () => done(look("done", { specificity: { value: 1 } }));
  });
  const second = { specificity: { value: 2 } };
  const { remote, said } = world([asked("j1"), late, asked("j2"), look("done", second, 2)]);
  remote.changed("One");
  await pass(PAUSE + 500);
  remote.changed("Two");
  arrive();
  await pass(5000);
  assert.deepEqual(said, ["waiting", "counting", "waiting", "counting", { done: second }]);
});

for (const [name, answers] of Object.entries({
  "the question is refused": [lost(REFUSED)],
  "the server is broken": [lost(BROKEN)],
  "there is no connection": [lost(OFFLINE)],
  "the job failed": [asked("j1"), look("failed")],
  "the job is gone": [asked("j1"), lost(REFUSED)],
  "another tab's text was measured": [asked("j1"), look("done", { specificity: { value: 1 } }, 9)],
})) {
  test(`it says so when ${name}, and the next change asks again`, async () => {
    const { remote, calls, said } = world(answers);
    remote.changed("One");
    await pass(PAUSE + 1000);
    assert.equal(said.at(-1), "failed");
    const before = calls.length;
    remote.changed("Two");
    await pass(PAUSE);
    assert.equal(calls.length, before + 1);
  });
}

test("a lost look is looked again", async () => {
  const values = { speaker: { value: null, undefined: "no speaker requested" } };
  const { remote, said } = world([asked("j1"), lost(OFFLINE), lost(BROKEN), look("done", values)]);
  remote.changed("One");
  await pass(PAUSE + 3000);
  assert.deepEqual(said.at(-1), { done: values });
});

test("no answer for long is a failure", async () => {
  const { remote, said } = world([asked("j1"), ...Array(100).fill(look("pending"))]);
  remote.changed("One");
  await pass(PAUSE + 20000);
  assert.equal(said.at(-1), "counting");
  await pass(20000);
  assert.equal(said.at(-1), "failed");
});

test("an empty text is not asked for; a known one is not asked again", async () => {
  const values = { specificity: { value: 4.5 } };
  const { remote, calls, said } = world([asked("j1"), look("done", values, 2)]);
  remote.changed("  \n");
  remote.changed("One");
  await pass(PAUSE + 1000);
  remote.changed("One t");
  remote.changed("One");
  await pass(PAUSE + 1000);
  assert.equal(calls.length, 2);
  assert.deepEqual(said, ["empty", "waiting", "counting", { done: values }, "waiting", { done: values }]);
});
