// Two saved versions of one draft: both are shown, a person decides, neither is lost.
import { $, $$, tell } from "./dom.js";
import { renderDiff } from "./diff.js";

export function conflictPane({ root, say, onResolve }) {
  const box = $("[data-conflict]", root);
  const editor = $("[data-editor]", root);
  let other = null;

  for (const button of $$("[data-resolve]", box)) {
    button.addEventListener("click", () => {
      const { theirs, revision } = other;
      box.hidden = true;
      editor.hidden = false;
      other = null;
      onResolve(button.dataset.resolve, theirs, revision);
    });
  }
  return {
    get open() { return other !== null; },
    show(mine, theirs, revision) {
      other = { theirs, revision };
      $("[data-conflict-mine]", box).textContent = mine.summary || say("nothing-written");
      renderDiff($("[data-conflict-theirs]", box), mine.summary, theirs.summary);
      if (!theirs.summary) $("[data-conflict-theirs]", box).textContent = say("nothing-written");
      const more = [];
      if (mine.title !== theirs.title) more.push(say("conflict-title", { mine: mine.title || "–", theirs: theirs.title || "–" }));
      if (JSON.stringify([mine.relevant_segments, mine.spans]) !== JSON.stringify([theirs.relevant_segments, theirs.spans])) more.push(say("conflict-marks"));
      tell($("[data-conflict-more]", box), more.join(" "));
      box.hidden = false;
      editor.hidden = true;
      $("h3", box).focus({ preventScroll: true });
      box.scrollIntoView({ block: "nearest" });
    },
  };
}
