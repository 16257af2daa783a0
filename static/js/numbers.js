// Numbers as people read them; the only place that writes one on a page (epitome/figures/numbers.py is its twin).
// Digits are 0-9 in every language; the language of the page gives the point.
const GROUP = "\u202f";
const pageLanguage = () => globalThis.document?.documentElement?.lang || "en";

function findPoint(language) {
  const parts = new Intl.NumberFormat(language, { numberingSystem: "latn" }).formatToParts(1.5);
  return parts.find(({ type }) => type === "decimal").value;
}

// 12 345: thousands apart by a narrow no-break space.
export const formatCount = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, GROUP);

// "8.3" for .0834: percent with at most one digit, none from 20 on.
export function formatShare(share, language = pageLanguage()) {
  const value = share * 100;
  if (value >= 20) return formatCount(Math.round(value));
  return String(Math.round(value * 10) / 10).replace(".", findPoint(language));
}

// ".45" in English: a decimal number without the 0 before the point; "0,45" in German.
export function formatScore(value, digits, language = pageLanguage()) {
  const text = value.toFixed(digits);
  if (language.startsWith("en")) return text.replace(/^(-?)0(?=\.)/, "$1");
  return text.replace(".", findPoint(language));
}
