// Word difference of two texts by their longest common subsequence; fine for summaries.

export function wordDiff(before, after) {
  const a = before.match(/\S+\s*/g) ?? [];
  const b = after.match(/\S+\s*/g) ?? [];
  const same = (i, j) => a[i].trim() === b[j].trim();
  const best = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      best[i][j] = same(i, j) ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const parts = [];
  const push = (kind, text) => {
    if (parts.at(-1)?.kind === kind) parts.at(-1).text += text;
    else parts.push({ kind, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(i, j)) {
      push("same", b[j]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || best[i + 1][j] >= best[i][j + 1])) {
      push("del", a[i]);
      i += 1;
    } else {
      push("ins", b[j]);
      j += 1;
    }
  }
  return parts;
}

export function renderDiff(element, before, after) {
  element.replaceChildren(
    ...wordDiff(before, after).map(({ kind, text }) => {
      if (kind === "same") return document.createTextNode(text);
      const node = document.createElement(kind);
      node.textContent = text.trimEnd();
      const wrap = document.createDocumentFragment();
      wrap.append(node, " ");
      return wrap;
    }),
  );
}
