// The jobs in the header. Nothing is asked while the menu is shut; while it is open and a job runs, its state follows.
import { pauseAfter } from "./job-progress.js";

// menu: the details element. parse(text) -> the list as an element. later(run, pause) -> a timer.
export function startJobsMenu(menu, { fetch, parse, later, clear }) {
  const list = menu.querySelector("[data-jobs-list]");
  const seen = menu.querySelector("[data-jobs-seen]");
  let timer = null;

  async function load(asked) {
    timer = null;
    list.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(menu.dataset.latest, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const latest = parse(await answer.text());
      if (!menu.open) return;
      list.replaceChildren(latest);
      if ("underWay" in latest.dataset) timer = later(() => load(asked + 1), pauseAfter(asked));
    } catch {
      list.textContent = menu.dataset.silent;
    } finally {
      list.setAttribute("aria-busy", "false");
    }
  }

  // To look is to have seen: what failed until now is not counted again.
  async function markSeen() {
    if (seen.hidden) return;
    const sent = { method: "POST", body: new FormData(seen), credentials: "same-origin", redirect: "manual" };
    const answer = await fetch(seen.action, sent).catch(() => null);
    if (!answer || (!answer.ok && answer.type !== "opaqueredirect")) return; // the button is still there
    seen.hidden = true;
    const { seenLabel, seenShown } = menu.dataset;
    const badge = menu.querySelector(".badge");
    if (seenShown) {
      badge.textContent = seenShown;
      badge.classList.remove("failed");
    } else badge?.remove();
    const summary = menu.querySelector("summary");
    for (const name of ["aria-label", "title"]) summary.setAttribute(name, seenLabel);
  }

  menu.addEventListener("toggle", () => {
    if (menu.open) {
      load(0);
      markSeen();
    } else if (timer !== null) {
      clear(timer);
      timer = null;
    }
  });
}

if (typeof document !== "undefined") {
  const menu = document.querySelector("[data-jobs-menu]");
  if (menu) {
    startJobsMenu(menu, {
      fetch: (...call) => globalThis.fetch(...call),
      // Markup of our own server, in which everything that people wrote is escaped; scripts in it do not run.
      parse: (text) => new DOMParser().parseFromString(text, "text/html").body.firstElementChild,
      later: (run, pause) => setTimeout(run, pause),
      clear: (running) => clearTimeout(running),
    });
  }
}
