// Follows one job: asks for its state until it has ended, then shows the finished page. Without script: reload.
// The page says where to ask (data-job) and how to word what it shows (data-words, a JSON block).
import { rememberFocus } from "./keep-focus.js";
import { formatCount } from "./numbers.js";

// Where it is kept of which job the page itself has shown the end, so that no notice (job-notices.js) says it again.
export const SHOWN = "job-shown";

export const shareOf = ({ done, total }) => (total ? Math.min(1, done / total) : null);

// Ask often at first, then ever more seldom, at most every 5 s.
export const pauseAfter = (asked) => Math.min(5000, 700 * 1.25 ** asked);

export const sentence = (state, words, format = formatCount) =>
  state.total
    ? words.of.replace("{done}", format(state.done)).replace("{total}", format(state.total))
    : state.done
      ? words.done.replace("{done}", format(state.done))
      : "";

// showDetails(html): puts in what the page says about who asked for the job, and when.
export function start(part, words, { fetch, later, reload, showDetails }) {
  const bar = part.querySelector("progress");
  const show = (state) => {
    part.querySelector("[data-state]").textContent = state.label;
    part.querySelector("[data-count]").textContent = sentence(state, words);
    part.querySelector("[data-outlook]").textContent = state.outlook ?? "";
    part.querySelector("[data-note]").textContent = state.note;
    if (state.details) showDetails(state.details);
    const share = shareOf(state);
    if (share === null) bar.removeAttribute("value");
    else {
      bar.max = 1;
      bar.value = share;
    }
  };
  const ask = async (asked, failed) => {
    let next = failed;
    try {
      const answer = await fetch(part.dataset.job, {
        headers: { Accept: "application/json" },
        credentials: "same-origin",
      });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const state = await answer.json();
      if (state.ended) return reload();
      show(state);
      next = 0;
    } catch {
      next += 1;
      part.querySelector("[data-note]").textContent = words.silent;
    }
    later(() => ask(asked + 1, next), pauseAfter(asked) * (1 + next));
  };
  later(() => ask(0, 0), 300);
}

if (typeof document !== "undefined") {
  const part = document.querySelector("[data-job]");
  if (part) {
    start(part, JSON.parse(document.getElementById("job-words").textContent), {
      fetch: (url, options) => globalThis.fetch(url, options),
      later: (run, pause) => setTimeout(run, pause),
      // Markup of our own server, in which everything that people wrote is escaped; scripts in it do not run.
      showDetails: (html) => {
        const details = new DOMParser().parseFromString(html, "text/html").body;
        document.querySelector("[data-job-details]")?.replaceChildren(...details.childNodes);
      },
      reload: () => {
        sessionStorage.setItem(SHOWN, part.dataset.job);
        rememberFocus(sessionStorage, location, document.activeElement);
        location.reload();
      },
    });
  }
}
