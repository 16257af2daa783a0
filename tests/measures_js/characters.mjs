// node characters.mjs IN.json OUT.json: which of these code points the browser takes for white space, a
// script that writes no words apart, a letter, a capital.
import { readFileSync, writeFileSync } from "node:fs";

import { cutRuns, isAlpha, lower, SPACES } from "../../static/js/unicode.js";

const SPACE = new RegExp(`[${SPACES}]`);
const [from, to] = process.argv.slice(2);
const found = { space: [], apart: [], alpha: [], lower: {} };
for (const point of JSON.parse(readFileSync(from, "utf8"))) {
  const character = String.fromCodePoint(point);
  if (SPACE.test(character)) found.space.push(point);
  if (cutRuns(`a${character}a`).length > 1) found.apart.push(point);
  if (isAlpha(character)) found.alpha.push(point);
  if (lower(character) !== character) found.lower[point] = lower(character);
}
writeFileSync(to, JSON.stringify(found));
