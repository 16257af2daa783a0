// node characters.mjs IN.json OUT.json: which of these code points the browser takes for white space, a letter, a capital.
import { readFileSync, writeFileSync } from "node:fs";

import { isAlpha, lower, words } from "../../static/js/unicode.js";

const [from, to] = process.argv.slice(2);
const found = { space: [], alpha: [], lower: {} };
for (const point of JSON.parse(readFileSync(from, "utf8"))) {
  const character = String.fromCodePoint(point);
  if (!words(character).length) found.space.push(point);
  if (isAlpha(character)) found.alpha.push(point);
  if (lower(character) !== character) found.lower[point] = lower(character);
}
writeFileSync(to, JSON.stringify(found));
