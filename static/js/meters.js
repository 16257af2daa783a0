// All meters of a draft, for projects that show them: overlap and topics counted here, the rest by the server.
// They advise: nothing in here waits, blocks or moves the focus.
import { copiedWords } from "./copied.js";
import { $, $$, icon, make } from "./dom.js";
import { later } from "./later.js";
import { digitsOf, placeOf, sayPlace, showMeter } from "./meterrow.js";
import { formatScore } from "./numbers.js";
import { copiedRuns, extractiveness, indexSource } from "./overlap.js";
import { createRemote } from "./remote.js";
import { proposingPane } from "./proposing.js";
import { speakerRuns } from "./speakers.js";
import { topicHits, topicPlaces, topicShare } from "./topics.js";
import { paint, rangeIn } from "./highlight.js";

function topicRows(hits, say) {
  return hits.map(({ topic, found, missing }) => {
    const all = found.length > 0 && !missing.length;
    const words = (list) => say.list(list.map((word) => `“${word}”`));
    const parts = [];
    if (!found.length && !missing.length) parts.push(say("topic-no-words"));
    if (found.length) parts.push(say("topic-found", { words: words(found) }));
    if (missing.length) parts.push(say("topic-missing", { words: words(missing) }));
    return make(
      "li",
      { className: all ? "yes" : "no" },
      icon(all ? "check" : "open"),
      make(
        "span",
        {},
        make("bdi", { textContent: topic }),
        make("span", { className: "why", textContent: parts.join("; ") }),
      ),
    );
  });
}

function speakerRows(hits, say) {
  return hits.map(({ speaker, runs }) =>
    make(
      "li",
      { className: runs ? "yes" : "no" },
      icon(runs ? "check" : "open"),
      make(
        "span",
        {},
        make("bdi", { textContent: speaker }),
        make("span", { className: "why", textContent: runs ? say("speaker-runs", { n: runs }) : say("speaker-none") }),
      ),
    ),
  );
}

export function meterPanel({ root, task, say, pane, api, url, review }) {
  const rows = Object.fromEntries($$("[data-meter]", root).map((row) => [row.dataset.meter, row]));
  const remote = Object.keys(rows).filter((measure) => rows[measure].dataset.by === "server");
  const segments = task.document.segments;
  const copied = copiedWords({ root, mirror: $(".mirror", root), pane, segments, say });
  const attribute = (measure) => task.attributes.find((one) => one.measure === measure);
  const band = (measure) => (attribute(measure)?.band?.of === "measure" ? attribute(measure).band : null);
  function show(measure, value, text, busy = false) {
    const own = band(measure);
    const place = own ? sayPlace(value, own, digitsOf(measure), say) : "";
    showMeter(rows[measure], { value, text, band: own, place, busy });
    review.show(attribute(measure)?.key, { text, place: placeOf(value, own), said: place });
  }
  let source = null; // built once, when it is first needed
  const chosen = (measure) => task.group.chosen[attribute(measure)?.key] ?? [];
  const mirror = $(".mirror", root);
  const lit = $("[data-show-topics]");
  let written = "";

  function light() {
    const topics = lit && !lit.checked ? [] : chosen("topic");
    const ranges = (element, text) => topicPlaces(text, topics).map(([from, to]) => rangeIn(element, from, to));
    paint("topic", mirror, ranges(mirror, written));
    paint(
      "topic",
      pane.list,
      segments.flatMap((segment, i) => ranges(pane.texts[i], segment.text)),
    );
  }
  lit?.addEventListener("change", light);

  const count = later((text) => {
    source ??= indexSource(segments, task.project.domain);
    const empty = !text.trim();
    if (rows.extractiveness) {
      const value = empty ? null : extractiveness(text, source);
      show("extractiveness", value, empty ? "–" : say("copied-share", { value: formatScore(value, 2) }));
    }
    if (rows.topic) {
      const topics = task.group.chosen[attribute("topic").key] ?? [];
      const value = empty ? null : topicShare(text, topics);
      show("topic", value, value === null ? "–" : say("topic-share", { value: formatScore(value, 2) }));
      $("[data-hits]", rows.topic).replaceChildren(...topicRows(topicHits(text, topics), say));
    }
    const runs = copiedRuns(text, source);
    copied.show(text, runs);
    if (rows.speaker)
      $("[data-hits]", rows.speaker)?.replaceChildren(
        ...speakerRows(speakerRuns(runs, segments, chosen("speaker")), say),
      );
    written = text;
    light();
  });

  function answer(measure, got) {
    if (!got) return show(measure, null, say("meter-failed"));
    if (typeof got.value !== "number") return show(measure, null, say("meter-undefined", { why: got.undefined }));
    return show(measure, got.value, say(`${measure}-value`, { value: formatScore(got.value, digitsOf(measure)) }));
  }
  const asking = createRemote({
    api,
    url,
    onState(state, values) {
      for (const measure of remote) {
        if (state === "done") answer(measure, values[measure]);
        else if (state === "waiting") rows[measure].setAttribute("aria-busy", "true");
        else
          show(
            measure,
            null,
            { empty: "–", counting: say("meter-counting"), failed: say("meter-failed") }[state],
            state === "counting",
          );
      }
    },
  });

  const runsOf = (text) => copiedRuns(text, (source ??= indexSource(segments, task.project.domain)));
  let last = null;
  return {
    proposing: proposingPane({ root, segments, say, pane, runsOf }),
    changed(text) {
      if (text === last) return;
      last = text;
      count(text);
      if (remote.length) asking.changed(text);
    },
  };
}
