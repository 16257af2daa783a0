// The summary field: its size, the count of its words against the guideline's band, and what else a project shows.
import { $ } from "./dom.js";
import { drawGauge, gaugeEnd } from "./gauge.js";
import { isFar, lengthReport } from "./measures.js";
import { formatShare } from "./numbers.js";

// Sentences for a length report: what was counted, where it is against the band, and that with the guideline's band.
export function sayReport(report, value, say, wholeSource) {
  const { words, base, ratio, range, place, by } = report;
  const counted =
    ratio === null ? "" : say(wholeSource ? "ratio-source" : "ratio-marked", { ratio: formatShare(ratio), n: base });
  const values = { value, low: range?.low, high: range?.high, n: by };
  const band =
    range &&
    say(range.high === Infinity ? "band-from" : range.low === range.high ? "band-exact" : "band-words", values);
  const where = ["in", "over", "under"].includes(place) ? say(`band-${place}`, values) : "";
  const said = { none: "", unmarked: say("band-unmarked", values), empty: band }[place] ?? `${where} ${band}`;
  return { words: say("words", { n: words }), counted, where, said: said ?? "" };
}

// Where two texts differ: [from, the end in the old one, what stands there in the new one].
export function change(before, after) {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return [from, before.length - same, after.slice(from, after.length - same)];
}

// Puts a text into the field as if it had been typed, so that undo leads back to what stood there.
export function retype(field, text, run = (name, put) => document.execCommand(name, false, put)) {
  const [from, to, put] = change(field.value, text);
  field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  if (!run(put ? "insertText" : "delete", put) || field.value !== text) field.value = text;
}

// The text behind the field keeps it as high as its text. It is one text node, changed only where the text changed, so
// that lit words stay on their words until they are counted again.
function follow(mirror, text) {
  if (!mirror.firstChild) mirror.append("\n");
  const node = mirror.firstChild;
  const [from, to, put] = change(node.data, `${text}\n`);
  if (to > from || put) node.replaceData(from, to - from, put);
}

const countsWords = ({ revealed, band, measure }) =>
  revealed && (["words", "relevant_words"].includes(band?.of) || (!band && measure === "length"));

// review: the list of the last step. meters: all the others (meters.js), where the project shows them.
export function editorPane({ root, task, say, onInput, review, meters = null }) {
  const field = $("#summary", root);
  const mirror = $(".mirror", root);
  const gauge = $("[data-words-line] .gauge", root);
  const count = $("[data-words]", root);
  const length = task.attributes.find(countsWords);

  field.addEventListener("input", () => onInput(field.value));

  return {
    field,
    set(text) {
      if (field.value !== text) field.value = text;
    },
    retype: (text) => {
      if (field.value !== text) retype(field, text);
    },
    // base: words of the relevant segments; wholeSource: nothing narrows the source, so all of it counts
    measure(text, base, wholeSource) {
      follow(mirror, text);
      const report = lengthReport(text, base, length?.band ?? null);
      const value = length?.value_label || String(length?.value ?? "");
      const said = sayReport(report, value, say, wholeSource);
      const end = gaugeEnd(report.words, report.range);
      count.textContent = said.words;
      $("[data-words-short]", root).textContent = text ? said.words : "";
      const meter = {
        "aria-valuenow": report.words,
        "aria-valuemax": end,
        "aria-valuetext": `${said.words}. ${said.said}`,
      };
      for (const [name, what] of Object.entries(meter)) count.setAttribute(name, what);
      $("[data-ratio]", root).textContent = said.counted;
      $("[data-words-said]", root).textContent = said.said;
      gauge.toggleAttribute("hidden", !report.range);
      if (report.range) drawGauge(gauge, report.words || null, report.range, end);
      review.show(length?.key, { text: said.words, place: report.place, said: said.where });
      meters?.changed(text);
      return { ...report, isFar: isFar(report) };
    },
  };
}
