import assert from "node:assert/strict";
import { test } from "node:test";

import { startNotices } from "../../static/js/job-notices.js";

const EXPORT = { id: "e1", text: "Export: done", url: "/jobs/e1/", failed: false };

function makeStorage(values = {}) {
  return {
    values,
    getItem: (key) => values[key] ?? null,
    setItem: (key, value) => (values[key] = value),
    removeItem: (key) => delete values[key],
  };
}

async function run(answers, { underWay = true, storage = makeStorage(), path = "/projects/p/" } = {}) {
  const asked = [];
  const shown = [];
  const queue = [];
  const dataset = { ended: "/jobs/ended/", since: "100", ...(underWay ? { underWay: "" } : {}) };
  const first = startNotices(
    { dataset },
    {
      fetch: async (url) => {
        asked.push(url);
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return { ok: true, json: async () => answer };
      },
      later: (step) => queue.push(step),
      storage,
      path,
      show: (job) => shown.push(job.text),
    },
  );
  await first;
  while (queue.length && answers.length) await queue.shift()();
  return { asked, shown, storage, waiting: queue.length };
}

test("the end of a job is told once, and nothing is asked after the last one", async () => {
  const answers = [
    { ended: [], until: 101, under_way: true },
    { ended: [EXPORT], until: 102, under_way: false },
  ];
  const { asked, shown, storage, waiting } = await run(answers);
  assert.deepEqual(asked, ["/jobs/ended/?since=100", "/jobs/ended/?since=101"]);
  assert.deepEqual(shown, ["Export: done"]);
  assert.deepEqual([storage.values, waiting], [{}, 0]);
});

test("a job that ends between two pages is told on the second", async () => {
  const storage = makeStorage({ "jobs-until": "90" });
  const { asked, shown } = await run([{ ended: [EXPORT], until: 102, under_way: false }], { underWay: false, storage });
  assert.deepEqual([asked, shown], [["/jobs/ended/?since=90"], ["Export: done"]]);
});

test("nothing is asked where no job is under way", async () => {
  const { asked } = await run([], { underWay: false });
  assert.deepEqual(asked, []);
});

test("a page that shows the job itself needs no notice", async () => {
  const answers = () => [{ ended: [EXPORT], until: 102, under_way: false }];
  assert.deepEqual((await run(answers(), { path: "/jobs/e1/" })).shown, []);
  const storage = makeStorage({ "job-shown": "/jobs/e1/state/" });
  assert.deepEqual((await run(answers(), { storage })).shown, []);
});

test("no answer is no error: it is asked again", async () => {
  const answers = [new Error("offline"), { ended: [EXPORT], until: 102, under_way: false }];
  assert.deepEqual((await run(answers)).shown, ["Export: done"]);
});
