// What is answered in an aggregation task: what is still to do, and gentle remarks on a phrase. Nothing here blocks.

export const ANSWERS = 2;

const written = (text) => text.trim().length > 0;

// A payload with every field, whatever an older draft held.
export const complete = (payload) => {
  const answers = [...(payload.answers ?? [])].slice(0, ANSWERS);
  while (answers.length < ANSWERS) answers.push("");
  return { answers, cannot: payload.cannot === true };
};

// Two drafts in one, as far as they fit: the phrases of the first come first.
export function both(mine, theirs) {
  const answers = [...mine.answers, ...theirs.answers].filter(written);
  return complete({ answers: [...new Set(answers)], cannot: mine.cannot || theirs.cannot });
}

export const withAnswer = (payload, number, text) =>
  payload.answers[number] === text
    ? payload
    : { ...payload, answers: payload.answers.map((old, at) => (at === number ? text : old)) };

// What is still to do, as ids of sentences. Empty: ready to submit.
export const missing = (payload) => (payload.answers.some(written) || payload.cannot ? [] : ["todo-answer"]);

const NUMBERS = new Set(["two", "three", "four", "five", "six"]);
const TYPES = new Set(["people", "persons", "areas", "places", "locations", "organizations", "organisations"]);
const VERBS = new Set(["are", "have", "is", "has", "was", "were"]);

// A phrase as it is compared: lower case, without a final stop, a leading "the" and a leading number.
export function normalize(answer) {
  const words = answer
    .trim()
    .replace(/[.\s]+$/, "")
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  if (words.length > 1 && words[0] === "the") words.shift();
  if (words.length > 1 && NUMBERS.has(words[0])) words.shift();
  return words.join(" ");
}

// The id of a remark on a phrase, or "". typeWord: what the page calls the entities' type.
export function remark(answer, typeWord) {
  const phrase = normalize(answer);
  if (!phrase) return "";
  const words = phrase.split(" ").map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
  if (phrase === typeWord || TYPES.has(phrase) || phrase === "the") return "hint-type";
  if (words.some((word) => VERBS.has(word)) || words[0] === "they") return "hint-sentence";
  if (words.includes("and") || words.includes("or") || phrase.includes("/") || phrase.includes("&")) return "hint-list";
  return "";
}

// Remarks on both phrases and on the tick, as ids or "".
export function remarks({ answers, cannot }, typeWord) {
  const hints = answers.map((answer) => remark(answer, typeWord));
  const [first, second] = answers.map(normalize);
  if (second && first === second) hints[1] = "hint-same";
  return { answers: hints, cannot: cannot && answers.some(written) ? "hint-both" : "" };
}
