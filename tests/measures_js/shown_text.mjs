// Reads a JSON list of turns; writes what is shown of each, and the stored characters at their places.
import { readFileSync, writeFileSync } from "node:fs";

import { cleanTurn } from "../../static/js/shown-text.js";

const [, , given, written] = process.argv;
const shown = JSON.parse(readFileSync(given, "utf8")).map((turn) => {
  const { text, places } = cleanTurn(turn);
  return { text, stored: places.map((place) => turn[place]).join("") };
});
writeFileSync(written, JSON.stringify(shown));
