// Marked errors of one text, as lists. No page here. A mark: {start, end, category, severity}; an omission has no place.
export const OMISSION = "omission";

export const isOmission = (mark) => mark.start === undefined;

// The marks of a stored answer; [] for none, and before anything was answered.
export function parseMarks(answer) {
  try {
    const marks = JSON.parse(answer);
    return Array.isArray(marks) ? marks : [];
  } catch {
    return [];
  }
}

// The answer as it is stored; "" while there are no marks and nobody said that there are no errors.
export const writeMarks = (marks, noErrors) => (marks.length || noErrors ? JSON.stringify(marks.map(inOrder)) : "");

const inOrder = ({ start, end, category, severity }) => ({
  ...(start === undefined ? {} : { start, end }),
  ...(category ? { category } : {}),
  severity,
});

const isSame = (mark, other) =>
  !isOmission(mark) && mark.start === other.start && mark.end === other.end && mark.category === other.category;

// With a new mark, in the order of the text, omissions last. The same words in the same category are one mark.
export const addMark = (marks, mark) =>
  [...marks.filter((other) => !isSame(mark, other)), mark].sort(
    (a, b) => isOmission(a) - isOmission(b) || (a.start ?? 0) - (b.start ?? 0) || (a.end ?? 0) - (b.end ?? 0),
  );

export const removeMark = (marks, mark) => marks.filter((other) => other !== mark);

// The look of a severity: 1 for the mildest, 3 for the gravest.
export const levelOf = (severities, name) => {
  const place = Math.max(0, severities.indexOf(name));
  return severities.length < 2 ? 1 : 1 + Math.round((2 * place) / (severities.length - 1));
};

// The words that a range touches as {from, to}, numbers of words; null for none. places: [[start, end]] in order.
export function wordsBetween(places, from, to) {
  const first = places.findIndex(([, end]) => end > from);
  const last = places.findLastIndex(([start]) => start < to);
  return first >= 0 && first <= last ? { from: first, to: last } : null;
}

/* What is being marked: {place, category}; place: {start, end}, or {} for an omission. */

// The next thing to choose: "category", "severity", or null where nothing is being marked.
export function nextStep(pending, categories) {
  if (!pending) return null;
  return categories.length && !pending.category ? "category" : "severity";
}

// {pending, mark}: after a choice what is still being marked, or the finished mark.
export function choose(pending, categories, value) {
  if (nextStep(pending, categories) === "category") return { pending: { ...pending, category: value }, mark: null };
  const category = pending.category ? { category: pending.category } : {};
  return { pending: null, mark: { ...pending.place, ...category, severity: value } };
}
