// Two saved versions of one draft: both are shown, a person decides, neither is lost.
import { $, $$, tell } from "./dom.js";
import { renderDiff } from "./diff.js";

function listDifferences(mine, theirs, say) {
  const marksOf = (payload) => JSON.stringify([payload.relevant_segments, payload.spans]);
  const sentences = [];
  if (mine.title !== theirs.title) {
    sentences.push(say("conflict-title", { mine: mine.title || "–", theirs: theirs.title || "–" }));
  }
  if (marksOf(mine) !== marksOf(theirs)) sentences.push(say("conflict-marks"));
  return sentences;
}

// onChoose("mine", "theirs" or "both")
export function conflictPane({ root, say, onChoose }) {
  const box = $("[data-conflict]", root);
  const editor = $("[data-editor]", root);
  const theirText = $("[data-conflict-theirs]", box);

  for (const button of $$("[data-resolve]", box)) {
    button.addEventListener("click", () => {
      box.hidden = true;
      editor.hidden = false;
      onChoose(button.dataset.resolve);
    });
  }
  return {
    show(mine, theirs) {
      $("[data-conflict-mine]", box).textContent = mine.summary || say("nothing-written");
      renderDiff(theirText, mine.summary, theirs.summary);
      if (!theirs.summary) theirText.textContent = say("nothing-written");
      tell($("[data-conflict-more]", box), listDifferences(mine, theirs, say).join(" "));
      box.hidden = false;
      editor.hidden = true;
      $("h3", box).focus({ preventScroll: true });
      box.scrollIntoView({ block: "nearest" });
    },
  };
}
