// Draws a value against a band. Advises, never blocks; no colour says right or wrong.
import { shape } from "./dom.js";

// svg: the rail; band {low, high}; value null draws no needle; max is the right end.
export function drawGauge(svg, value, band, max) {
  const at = (v) => Math.min(100, Math.max(0, (v / max) * 100));
  const rect = (kind, x, width, y, height) => shape("rect", { class: kind, x: `${x}%`, width, y, height, rx: 2 });
  svg.replaceChildren(
    rect("rail", 0, "100%", 4, 4),
    ...(band ? [rect("band", at(band.low), `${Math.max(1, at(band.high) - at(band.low))}%`, 2.5, 7)] : []),
    ...(value === null ? [] : [rect("needle", Math.min(99, at(value)), 4, 0, 12)]),
  );
}

// The right end of the length gauge: room beyond the band and beyond the text.
export const gaugeEnd = (words, band) =>
  Math.max(20, Math.ceil(words * 1.15), band && Number.isFinite(band.high) ? band.high * 2 : 0);
