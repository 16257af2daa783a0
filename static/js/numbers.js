// Numbers as people read them; the only place that writes one on a page (annotation/figures/numbers.py is its twin).
const GROUP = "\u202f";

// 12 345: thousands apart by a narrow no-break space.
export const formatCount = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, GROUP);

// "8.3" for .0834: percent with at most one digit, none from 20 on.
export function formatShare(share) {
  const value = share * 100;
  return value >= 20 ? formatCount(Math.round(value)) : String(Math.round(value * 10) / 10);
}

// ".45": a decimal number without the 0 before the point.
export const formatScore = (value, digits) => value.toFixed(digits).replace(/^(-?)0(?=\.)/, "$1");
