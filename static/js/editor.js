// The summary field: its size, the count of its words against the guideline's band, and what else a project shows.
import { $, icon, make } from "./dom.js";
import { paint, rangeIn } from "./highlight.js";
import { copiedRuns, extractiveness, indexSource, lengthReport, percent, topicHits } from "./measures.js";
import { drawGauge, gaugeEnd } from "./meters.js";

// Sentences for a length report: what was counted, and what the guideline says of it.
export function sayReport(report, value, say, wholeSource) {
  const { words, base, ratio, range, place, by } = report;
  const counted = ratio === null ? "" : say(wholeSource ? "ratio-source" : "ratio-marked", { ratio: percent(ratio), n: base });
  const values = { value, low: range?.low, high: range?.high, n: by };
  const band = range && say(range.high === Infinity ? "band-from" : range.low === range.high ? "band-exact" : "band-words", values);
  const said = {
    none: "", unmarked: say("band-unmarked", values), empty: band,
    in: `${say("band-in")} ${band}`, over: `${say("band-over", values)} ${band}`, under: `${say("band-under", values)} ${band}`,
  }[place];
  return { words: say("words", { n: words }), counted, said: said ?? "" };
}

export function editorPane({ root, task, say, onInput }) {
  const field = $("#summary", root);
  const mirror = $(".mirror", root);
  const gauge = $("[data-words-line] .gauge", root);
  const length = task.attributes.find((attribute) => attribute.band && attribute.revealed);
  const source = task.assistance === "full" ? indexSource(task.document.segments) : null;

  field.addEventListener("input", () => onInput(field.value));

  function full(text) {
    if (!source) return;
    const ext = task.attributes.find((attribute) => attribute.measure === "extractiveness" || attribute.key === "extractiveness");
    const row = $("[data-meter=extractiveness]", root);
    if (row && ext) {
      row.hidden = false;
      const value = text.trim() ? extractiveness(text, source) : null;
      $("dt", row).textContent = ext.label;
      $(".value", row).textContent = value === null ? "–" : say("copied-share", { value: value.toFixed(2).replace(/^0/, "") });
      drawGauge($(".gauge", row), value, null, 1);
    }
    const topics = task.attributes.filter((a) => a.kind === "keywords").flatMap((a) => task.group.chosen[a.key] ?? []);
    const hits = $("[data-meter=topic]", root);
    if (hits) {
      hits.hidden = !topics.length;
      $("dt", hits).textContent = say("topics");
      $(".hits", hits).replaceChildren(...topicHits(text, topics).map(({ topic, share }) =>
        make("span", {}, icon(share === 1 ? "check" : "open"), make("bdi", { textContent: topic }), share === 1 ? "" : ` – ${say(share ? "topic-part" : "topic-missing")}`)));
    }
    const on = $("[data-show-copied]")?.checked;
    paint("copied", root, on ? copiedRuns(text, source).map((run) => rangeIn(mirror, run.from, run.to)) : []);
  }
  $("[data-show-copied]")?.addEventListener("change", () => full(field.value));

  return {
    field,
    set(text) { if (field.value !== text) field.value = text; },
    // base: words of the relevant segments; wholeSource: nothing narrows the source, so all of it counts
    measure(text, base, wholeSource) {
      mirror.textContent = `${text}\n`;
      const report = lengthReport(text, base, length?.band ?? null);
      const value = length?.value_label || String(length?.value ?? "");
      const said = sayReport(report, value, say, wholeSource);
      $("[data-words]", root).textContent = said.words;
      $("[data-ratio]", root).textContent = said.counted;
      $("[data-words-said]", root).textContent = said.said;
      gauge.toggleAttribute("hidden", !report.range);
      if (report.range) drawGauge(gauge, report.words || null, report.range, gaugeEnd(report.words, report.range));
      full(text);
      return said;
    },
  };
}
