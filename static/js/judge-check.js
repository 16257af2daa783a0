// Labelling texts by hand: one key per label, as printed on its button.
import { $, $$ } from "./dom.js";
import { onKey } from "./keys.js";

for (const button of $$("[data-labels] button[data-key]")) onKey(button.dataset.key, () => button.click());
onKey("p", () => {
  const back = $("[data-back]");
  if (!back) return false;
  back.click();
  return true;
});
