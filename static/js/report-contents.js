// Which chapter of a long page is being read.

// tops: distance of each chapter's top from the top of the window, in order; line: how far down the window a chapter
// counts as begun; atEnd: the page cannot scroll further. Gives an index, -1 where there is no chapter.
export function chapterInView(tops, line, atEnd) {
  if (!tops.length) return -1;
  if (atEnd) return tops.length - 1;
  const begun = tops.findLastIndex((top) => top <= line);
  return Math.max(begun, 0);
}
