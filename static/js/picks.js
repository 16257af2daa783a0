// Choosing topics and speakers: candidates picked, worded otherwise, or typed. State is a list of {text, candidate};
// `candidate` is null for a text of one's own.

const same = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase();
export const has = (picks, text) => picks.some((pick) => same(pick.text, text));
export const picked = (picks, candidate) => picks.some((pick) => pick.candidate === candidate);
export const full = (picks, most) => most !== null && most !== undefined && picks.length >= most;

export function toggle(picks, candidate, most) {
  if (picked(picks, candidate)) return picks.filter((pick) => pick.candidate !== candidate);
  if (full(picks, most) || has(picks, candidate)) return picks;
  return [...picks, { text: candidate, candidate }];
}

// Add typed text: {picks, why}; `why` is "", "empty", "twice" or "full". A text equal to a candidate picks the
// candidate.
export function addOwn(picks, text, candidates, most) {
  const clean = text.trim();
  if (!clean) return { picks, why: "empty" };
  if (has(picks, clean)) return { picks, why: "twice" };
  if (full(picks, most)) return { picks, why: "full" };
  const known = candidates.find((candidate) => same(candidate, clean));
  if (known !== undefined && picked(picks, known)) return { picks, why: "twice" };
  return { picks: [...picks, { text: known ?? clean, candidate: known ?? null }], why: "" };
}

export const reword = (picks, at, text) => picks.map((pick, i) => (i === at ? { ...pick, text } : pick));
export const drop = (picks, at) => picks.filter((_, i) => i !== at);

// Candidates that hold every typed word, in their own order.
export function matching(candidates, typed) {
  const want = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return candidates.filter((candidate) => want.every((word) => candidate.toLowerCase().includes(word)));
}

// What is sent: trimmed texts, empty ones left out. `fault` is "", "few", "twice".
export function checked(picks, least = 0) {
  const chosen = picks.map((pick) => ({ ...pick, text: pick.text.trim() })).filter((pick) => pick.text);
  const twice = chosen.some((pick, i) => chosen.findIndex((other) => same(other.text, pick.text)) !== i);
  return { chosen, fault: twice ? "twice" : chosen.length < (least ?? 0) ? "few" : "" };
}

// Picks left from an earlier visit, if they still fit the candidates shown now.
export function restored(stored, candidates, most) {
  if (!Array.isArray(stored)) return [];
  const fits = (pick) =>
    typeof pick?.text === "string" && (pick.candidate === null || candidates.includes(pick.candidate));
  return stored.filter(fits).slice(0, most ?? stored.length);
}
