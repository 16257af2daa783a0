// What will become of a summary: the strictest verdict decides, and what is not accepted needs a comment.
export function outcome(verdicts, told) {
  const left = verdicts.filter((one) => !one).length;
  if (left) return { id: "left", n: left };
  const strictest = ["reject", "revise"].find((word) => verdicts.includes(word));
  if (!strictest) return { id: "will-accept", n: 0 };
  return { id: told ? `will-${strictest}` : "why", n: 0 };
}
