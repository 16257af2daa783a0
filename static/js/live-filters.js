// Lists follow their filters as one types or chooses: the page is fetched with the new query and its parts with data-live
// take the place of the old ones. The address follows too. Without script the button does the same.

export const PAUSE = 300; // milliseconds without another letter

// The query of filled fields, in the order of the form; the page number is left out.
export function buildQuery(entries) {
  const filled = [...entries].filter(([name, value]) => value !== "" && name !== "page");
  return new URLSearchParams(filled).toString();
}

// Ticks that were set stay set on rows that are still there.
export const tickKey = (box) => `${box.name}=${box.value}`;

// parts() -> the parts of the page now, by name; load(address, signal) -> those of the answer, null where it is no list.
// adopt(old, next) puts one in the place of the other.
export function createLiveList({ parts, load, adopt, announce, show, leave }) {
  let turn = 0;
  let stop = null;

  return async function follow(address) {
    turn += 1;
    const mine = turn;
    stop?.abort();
    stop = new AbortController();
    const rows = parts().get("rows");
    rows?.setAttribute("aria-busy", "true");
    try {
      const next = await load(address, stop.signal);
      if (mine !== turn) return;
      if (next === null) {
        leave(address);
        return;
      }
      for (const [name, part] of parts()) if (next.has(name)) adopt(part, next.get(name));
      show(address);
      announce(next.get("filters")?.dataset.announce ?? "");
    } catch (error) {
      if (mine === turn && error.name !== "AbortError") announce(""); // the button still works
    } finally {
      if (mine === turn) parts().get("rows")?.removeAttribute("aria-busy");
    }
  };
}

function partsOf(root) {
  return new Map([...root.querySelectorAll("[data-live]")].map((part) => [part.dataset.live, part]));
}

async function loadParts(address, signal) {
  const answer = await fetch(address, { credentials: "same-origin", signal });
  if (!answer.ok || answer.redirected) return null;
  const parts = partsOf(new DOMParser().parseFromString(await answer.text(), "text/html"));
  return parts.has("rows") ? parts : null;
}

function adoptPart(part, next) {
  const ticked = new Set([...part.querySelectorAll("input[type=checkbox]:checked")].map(tickKey));
  part.replaceChildren(...[...next.childNodes].map((node) => document.adoptNode(node)));
  for (const box of part.querySelectorAll("input[type=checkbox]")) if (ticked.has(tickKey(box))) box.checked = true;
}

export function watchFilters(form, follow, timers = globalThis) {
  const send = () => {
    const query = buildQuery(new FormData(form));
    follow(query ? `${form.action}?${query}` : form.action);
  };
  let timer = null;
  form.addEventListener("input", (event) => {
    timers.clearTimeout(timer);
    const isText = event.target.matches("input:not([type=checkbox], [type=radio])");
    timer = timers.setTimeout(send, isText ? PAUSE : 0);
  });
}

if (typeof document !== "undefined") {
  const form = document.querySelector("[data-live-filters]");
  if (form && partsOf(document).has("rows")) {
    const status = document.querySelector("[data-live-status]");
    const follow = createLiveList({
      parts: () => partsOf(document),
      load: loadParts,
      adopt: adoptPart,
      announce: (text) => (status.textContent = text),
      show: (address) => history.replaceState(null, "", address),
      leave: (address) => location.assign(address),
    });
    watchFilters(form, follow);
  }
}
