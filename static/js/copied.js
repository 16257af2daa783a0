// Copied words, lit in the summary and in the source, and listed in words for whoever sees no colour.
import { $, make } from "./dom.js";
import { paint, rangeIn } from "./highlight.js";

const LISTED = 40;
const LINKS = 3; // places named for each run; the rest is lit in the source

// mirror: the text behind the field, where the summary's runs are lit. pane: the source.
export function copiedWords({ root, mirror, pane, segments, say }) {
  const list = $("[data-runs]", root);
  const count = $("[data-runs-count]", root);
  const lit = $("[data-show-copied]");
  let shown = { text: "", runs: [] };

  function light() {
    const runs = lit && !lit.checked ? [] : shown.runs;
    paint(
      "copied",
      mirror,
      runs.map((run) => rangeIn(mirror, run.start, run.end)),
    );
    const places = new Map(); // several runs may stand at one place
    for (const place of runs.flatMap((run) => run.places))
      places.set(`${place.segment} ${place.start} ${place.end}`, place);
    paint(
      "copied",
      pane.list,
      [...places.values()].map((place) => rangeIn(pane.texts[place.segment], place.start, place.end)),
    );
  }
  function placeButton({ segment }) {
    const n = segment + 1;
    const go = make("button", { type: "button", className: "text-button", textContent: String(n) });
    go.setAttribute("aria-label", say("show-segment", { n }));
    go.addEventListener("click", () => pane.show(segment));
    return go;
  }
  const row = (run) => {
    const places = run.places.filter((one, i) => run.places.findIndex((other) => other.segment === one.segment) === i);
    const quote = make("q", { dir: "auto", textContent: shown.text.slice(run.start, run.end) });
    return make(
      "li",
      {},
      quote,
      ...places
        .slice(0, LINKS)
        .filter(({ segment }) => segments[segment])
        .map(placeButton),
    );
  };
  lit?.addEventListener("change", light);

  return {
    show(text, runs) {
      shown = { text, runs };
      light();
      count.textContent = say("copied-runs", { n: runs.length });
      list.replaceChildren(...runs.slice(0, LISTED).map(row));
    },
  };
}
