// The summaries of a pair or a list: the one in sight on narrow screens, what was chosen, and the buttons on the cards.
import { $, $$ } from "./dom.js";

export const cardButtons = (fieldset) => $$(`[data-card-places="${fieldset.dataset.question}"] button`);

const tabOf = (id) => $(`[data-text-tabs] a[href="#${id}"]`);

// letters: in the order of the places, "" for a free one.
export function showOnCards(fieldset, letters) {
  const placed = new Map();
  const buttons = cardButtons(fieldset);
  const names = [...new Set(buttons.map(({ dataset }) => dataset.put))];
  for (const button of buttons) {
    const { letter, put } = button.dataset;
    const isPut = letters[names.indexOf(put)] === letter;
    button.setAttribute("aria-pressed", String(isPut));
    button.parentElement.hidden = false;
    if (isPut) placed.set(letter, button.textContent);
  }
  for (const said of $$(`[data-placed="${fieldset.dataset.question}"]`))
    said.textContent = placed.get(said.dataset.letter) ?? "";
}

// side: of a pair, undefined before one is chosen.
export function showChosen(side) {
  for (const text of $$(".pair article")) {
    text.classList.toggle("is-chosen", text.dataset.side === side);
    tabOf(text.id).classList.toggle("is-chosen", text.dataset.side === side);
  }
}

// The tabs follow the text that was swiped into sight, and bring one there.
export function followSlides() {
  const slides = $("[data-slides]");
  if (!slides) return;
  const tabs = $$("[data-text-tabs] a");
  const texts = tabs.map((tab) => $(tab.hash));
  const observer = new IntersectionObserver(
    (entries) => {
      const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target;
      if (seen) showCurrent(tabs[texts.indexOf(seen)]);
    },
    { root: slides, threshold: 0.6 },
  );
  function showCurrent(current) {
    for (const tab of tabs) {
      if (tab === current) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  }
  tabs.forEach((tab, place) => {
    observer.observe(texts[place]);
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      texts[place].scrollIntoView({ block: "nearest", inline: "start" });
      showCurrent(tab);
    });
  });
}
