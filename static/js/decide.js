// Deciding a disagreement: one key per answer, beside the source and the copied words as raters saw them.
import { $, $$ } from "./dom.js";
import { onKey } from "./keys.js";
import { showSource, toggleSourceOnDemand } from "./rate-source.js";
import { followSlides } from "./rate-texts.js";
import { makeSay } from "./words.js";

const readData = (id) => JSON.parse(document.getElementById(id).textContent);
const item = readData("item-data");
const say = makeSay(readData("item-words"), document.documentElement.lang);
const main = $("[data-decide]");

showSource({ main, item, say });
followSlides();
toggleSourceOnDemand({ main, say });
for (const button of $$("[data-decision] button[data-key]")) onKey(button.dataset.key, () => button.click());
onKey("p", () => {
  const back = $("[data-back]");
  if (!back) return false;
  back.click();
  return true;
});
main.dataset.ready = "yes";
