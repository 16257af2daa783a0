// Says on whatever page the person is that a job of theirs has ended. Nothing is asked while none is under way.
import { icon, iconButton, make } from "./dom.js";
import { pauseAfter, SHOWN } from "./job-progress.js";

const UNTIL = "jobs-until"; // until when the ends of jobs are known, while one is under way
const STAYS = 10000;

// place: the element with the address (data-ended), the time of the page (data-since) and whether a job is under way.
export function startNotices(place, { fetch, later, storage, path, show }) {
  async function ask(asked) {
    const since = storage.getItem(UNTIL) ?? place.dataset.since;
    let next = { under_way: true };
    try {
      const answer = await fetch(`${place.dataset.ended}?since=${since}`, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      next = await answer.json();
      storage.setItem(UNTIL, String(next.until));
      for (const job of next.ended) if (path !== job.url && !storage.getItem(SHOWN)?.includes(job.id)) show(job);
    } catch {
      // asked again: a notice is worth no error
    }
    if (next.under_way) later(() => ask(asked + 1), pauseAfter(asked));
    else storage.removeItem(UNTIL);
  }
  if ("underWay" in place.dataset || storage.getItem(UNTIL) !== null) return ask(0);
}

function showNotice(place, job) {
  const region = document.querySelector("[data-toasts]") ?? place;
  const link = make("a", { href: job.url, textContent: job.text, dir: "auto" });
  const notice = make("div", { className: job.failed ? "notice danger" : "notice" });
  const close = iconButton("cross", place.dataset.closeLabel, () => notice.remove());
  notice.append(icon(job.failed ? "warn" : "check"), make("div", {}, make("p", {}, link)), close);
  region.append(notice);
  if (!job.failed) setTimeout(() => notice.matches(":hover, :focus-within") || notice.remove(), STAYS);
}

if (typeof document !== "undefined") {
  const place = document.querySelector("[data-job-notices]");
  if (place)
    startNotices(place, {
      fetch: (...call) => globalThis.fetch(...call),
      later: (run, pause) => setTimeout(run, pause),
      storage: sessionStorage,
      path: location.pathname,
      show: (job) => showNotice(place, job),
    });
}
