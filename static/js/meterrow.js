// One meter on the page: its number, its rail, and in words where it stands against a band.
import { $ } from "./dom.js";
import { drawGauge } from "./gauge.js";
import { formatScore } from "./numbers.js";

const DIGITS = { specificity: 1, readability: 1 }; // the others are shares of one
export const digitsOf = (measure) => DIGITS[measure] ?? 2;

// Where a value stands against a band: "in", "over", "under", or "" where there is none to compare.
export function placeOf(value, band) {
  if (value === null || !band) return "";
  if (value < band.low) return "under";
  return band.high !== null && value > band.high ? "over" : "in";
}

// The same in words.
export function sayPlace(value, band, digits, say) {
  if (value === null) return "";
  const open = band.high === null;
  const range = say(open ? "meter-band-from" : "meter-band", {
    low: formatScore(band.low, digits),
    high: open ? "" : formatScore(band.high, digits),
  });
  return say(`meter-${placeOf(value, band)}`, { band: range });
}

// The right end of a rail: 1 for a share, else room beyond the band and beyond the value.
const endOf = (row, value, band) =>
  Number(row.dataset.most) || Math.max(value ?? 0, (band?.high ?? (band?.low ?? 0) * 2) * 1.5) || 1;

// One row. value null: `text` says why there is no number, and it is no meter then.
export function showMeter(row, { value, text, band, place, busy = false }) {
  const max = endOf(row, value, band);
  const said = $("[data-place]", row);
  if (said) said.textContent = place;
  const number = $("[data-value]", row);
  const gauge = $(".gauge", row);
  row.setAttribute("aria-busy", String(busy));
  number.textContent = text;
  number.classList.toggle("none", value === null);
  if (gauge) drawGauge(gauge, value, band && { low: band.low, high: band.high ?? max }, max);
  if (value === null || !gauge) {
    for (const name of ["role", "aria-labelledby", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext"])
      number.removeAttribute(name);
    return;
  }
  const meter = {
    role: "meter",
    "aria-labelledby": $("dt", row).id,
    "aria-valuemin": 0,
    "aria-valuemax": max,
    "aria-valuenow": value,
    "aria-valuetext": place ? `${text}. ${place}` : text,
  };
  for (const [name, what] of Object.entries(meter)) number.setAttribute(name, what);
}
