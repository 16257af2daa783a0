// Text as Python 3.11 sees it. It knows Unicode 14; a browser knows more, and would see letters and small letters
// where the server sees none. The newer characters that could make a difference are listed here and left alone.
// tests/measures_js compares every code point, so that another Python or another Unicode is noticed.

const NEWER = new RegExp(
  `[${`
  88f 897 c5c cdc ece 1acf-1add 1ae0-1aeb 1c89-1c8a a7cb-a7cf a7d2 a7d4 a7da-a7dc a7f1 105c0-105f3 10940-10959
  10d4a-10d65 10d69-10d6d 10d6f-10d85 10ec2-10ec7 10efa-10eff 1123f-11241 11380-11389 1138b 1138e 11390-113b5 113b7
  113bb-113c0 113ce 113d0-113d3 113e1-113e2 11b60 11b62-11b64 11b66 11bc0-11be0 11db0-11ddb 11f00-11f02 11f04-11f10
  11f12-11f33 11f36-11f3a 11f40 11f42 11f5a 1342f 13439-13455 13460-143fa 16100-16129 1612d-1612f 16d40-16d6c
  16ea0-16eb8 16ebb-16ed3 16ff2-16ff3 187f8-187ff 18cff 18d09-18d1e 18d80-18df2 1b132 1b155 1df25-1df2a 1e030-1e06d
  1e08f 1e4d0-1e4ef 1e5d0-1e5f0 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 2b739-2b73f 2cea2-2cead 2ebf0-2ee5d 31350-33479
`
    .trim()
    .replace(/[0-9a-f]+/g, "\\u{$&}")
    .replace(/\s+/g, "")}]`,
  "u",
);
const OLDER = new RegExp(`[^${NEWER.source.slice(1)}+`, "gu");

// str.split(): the white space of Python. "\s" has U+FEFF, which Python has not, and lacks U+001C to U+001F and U+0085.
export const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACE = new RegExp(`[${SPACES}]+`);

// Scripts that write no words apart, as epitome/text/unspaced.py has them; the browser's dictionaries cut there.
const SCRIPTS =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u19e0-\\u19ff\\ua9e0-\\ua9ff\\uaa60-\\uaa7f\\u3000-\\u30ff" +
  "\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff00-\\uffef\\u{20000}-\\u{3ffff}";
// The marks “ ” — … stand in other scripts too: they are cut off only in a piece that has one of these scripts.
const UNSPACED = new RegExp(`[${SCRIPTS}\\u2014\\u201c\\u201d\\u2026]+`, "gu");
const ANY = new RegExp(`[${SCRIPTS}]`, "u");
const NO_MARK = /[^\p{P}\p{S}\p{Z}]/u;
let segmenter = null;

function cutRun(run) {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  return Array.from(segmenter.segment(run), ({ segment }) => segment).filter((piece) => piece.trim());
}

// A text without white space, cut before, after and inside of each run of such scripts; marks stand alone.
export function cutRuns(text) {
  if (!ANY.test(text)) return text ? [text] : [];
  const found = [];
  let at = 0;
  for (const run of text.matchAll(UNSPACED)) {
    if (run.index > at) found.push(text.slice(at, run.index));
    found.push(...cutRun(run[0]));
    at = run.index + run[0].length;
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}

const cutToken = (token) => (ANY.test(token) ? cutRuns(token).filter((piece) => NO_MARK.test(piece)) : [token]);

export const words = (text) => text.split(SPACE).filter(Boolean).flatMap(cutToken);

// str.lower(): "İ" becomes two characters, "Σ" at the end of a word "ς". One difference is left: U+0295 and U+1171E
// have changed their class since, so a "Σ" right beside one of them may get the other small letter.
export const lower = (text) => text.replace(OLDER, (piece) => piece.toLowerCase());

// Letters only, and at least one; vowel signs and accents belong to theirs.
export const isAlpha = (word) => /^\p{L}[\p{L}\p{M}]*$/u.test(word) && !NEWER.test(word);
